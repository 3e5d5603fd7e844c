#include "simulation/judge/causes.hpp"

#include <algorithm>
#include <cctype>

namespace steadfast::simulation {

using workflow::step_state;

std::string without_numbers(std::string_view cause) {
  std::string general;
  bool in_name = false;
  bool in_number = false;
  for (const char c : cause) {
    in_name = in_name != (c == '`');
    const bool is_figure = !in_name && std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_figure)
      general += c;
    else if (!in_number)
      general += 'N';
    in_number = is_figure;
  }
  return general;
}

bool has_run_undo(const workflow::task& t) {
  return t.state == workflow::process_state::undone
         || std::any_of(t.steps.begin(), t.steps.end(), [](const workflow::step& s) {
              return s.state == step_state::compensated || s.state == step_state::compensation_failed;
            });
}

std::string why_in_error(const workflow::task& t, const workflow::definition& d) {
  std::string failed;
  for (std::size_t i = 0; i < t.steps.size(); ++i)
    if (t.steps[i].state == step_state::compensation_failed)
      failed += (failed.empty() ? "" : "; ") + ("undo of step `" + d.steps[i].name + "` failed: " + t.steps[i].error);
  return failed.empty() ? t.cause : failed;
}

std::uint64_t attempts_of(const workflow::task& t) {
  std::uint64_t sum = 0;
  for (const auto& s : t.steps)
    sum += s.attempt;
  return sum;
}

} // namespace steadfast::simulation
