#include "workflow/calling/circuit_text.hpp"

#include "workflow/time/time_text.hpp"

namespace steadfast::workflow {

namespace {

constexpr std::string_view of_circuit = "circuit for `";
constexpr std::string_view of_failure = "; last failure at ";
constexpr std::string_view told = ": ";

} // namespace

std::string circuit_text(std::string_view agent, const circuit& c, std::string_view held_by) {
  auto text = std::string{of_circuit}.append(agent).append("` ");
  if (c.open_until == never)
    return text.append("held open by ").append(held_by);
  return text.append("open until ").append(utc_seconds_text(c.open_until));
}

std::string with_last_failure(std::string circuit, instant at, std::string_view why) {
  return circuit.append(of_failure).append(utc_seconds_text(at)).append(told).append(why);
}

std::string_view without_circuit(std::string_view cause) {
  if (const auto at = cause.find(of_failure); at != std::string_view::npos && cause.starts_with(of_circuit))
    if (const auto why = cause.find(told, at + of_failure.size()); why != std::string_view::npos)
      cause = cause.substr(why + told.size());
  cause = cause.substr(0, cause.find("; " + std::string{of_circuit}));
  const auto last = cause.find_last_not_of(' ');
  return last == std::string_view::npos ? cause : cause.substr(0, last + 1);
}

} // namespace steadfast::workflow
