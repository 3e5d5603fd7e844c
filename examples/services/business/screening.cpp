#include "examples/services/business/business.hpp"

#include "examples/services/requests/hash.hpp"

// A service that is asked again and again under one key, until it has finished.

namespace services {

namespace {

constexpr std::uint64_t calls_max = 5;       ///< that most keys take
constexpr std::uint64_t endless_percent = 3; ///< of the keys: they take more calls than anybody makes
constexpr std::uint64_t endless_calls = 1000;

/// How many more calls it takes, from 0; always the same for the same key.
std::uint64_t calls_left(const std::string& key) {
  const auto drawn = hash_number("calls" + key);
  return drawn % 100 < endless_percent ? endless_calls : drawn / 100 % calls_max;
}

json screened(const json& about, std::uint64_t left) {
  json result = about;
  result.update({{"calls_left", left}, {"state", left == 0 ? "done" : "running"}});
  return result;
}

decision screen(const json& body, const std::string& key) {
  fields in{body};
  const auto customer = in.text("customer");
  if (!in.are_good())
    return in.first_refusal();
  return screened({{"screening_id", id_from_key("scr-", key)}, {"customer", customer}}, calls_left(key));
}

json screen_on(const json& before) {
  const auto left = before.at("calls_left").get<std::uint64_t>();
  return screened(before, left == 0 ? 0 : left - 1);
}

} // namespace

std::vector<business> slow_businesses() {
  return {{"screening", "screen", "screens a customer, which takes some calls: {customer}", screen, screen_on}};
}

} // namespace services
