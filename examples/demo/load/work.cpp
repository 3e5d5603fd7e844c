#include "examples/demo/load/work.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <string_view>

namespace demo {

namespace {

using json = nlohmann::json;
using random = std::mt19937_64;

constexpr std::uint64_t customers = 400;
constexpr std::uint64_t suspended_percent = 2;
constexpr std::uint64_t sold_out_percent = 4;

std::uint64_t below(random& chance, std::uint64_t bound) {
  return std::uniform_int_distribution<std::uint64_t>{0, bound - 1}(chance);
}

// "airport" and "island" are farther away than a drone flies.
std::string any_zone(random& chance) {
  constexpr std::array<std::string_view, 8> zones = {"depot", "north",   "south",   "east",
                                                     "west",  "harbour", "airport", "island"};
  return std::string{zones[below(chance, zones.size())]};
}

std::string any_customer(random& chance) {
  const auto number = std::to_string(below(chance, customers));
  return (below(chance, 100) < suspended_percent ? "suspended-" : "customer-") + number;
}

submission make_delivery(const std::string& number, random& chance) {
  json payload{{"customer", any_customer(chance)}, {"from", any_zone(chance)}, {"to", any_zone(chance)}};
  payload["weight_kg"] = 0.5 * static_cast<double>(1 + below(chance, 40));
  return {"delivery-" + number, "drone_delivery", payload.dump(), ""};
}

submission make_order(const std::string& number, random& chance) {
  const bool sold_out = below(chance, 100) < sold_out_percent;
  const auto ware = (sold_out ? "sold-out-" : "ware-") + std::to_string(below(chance, 50));
  const auto quantity = 1 + below(chance, 5);
  json payload{{"order_id", "order-" + number}, {"customer", any_customer(chance)}, {"currency", "EUR"}};
  payload["items"] = json::array({json{{"sku", ware}, {"quantity", quantity}}});
  payload["amount"] = static_cast<double>(quantity) * 19.9;
  payload["address"] = std::to_string(1 + below(chance, 200)) + " Harbour Street";
  return {"order-" + number, "order_processing", payload.dump(), "order-desk"};
}

std::string numbered(std::uint32_t i) {
  const auto digits = std::to_string(i + 1);
  return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

} // namespace

std::vector<submission> make_submissions(std::uint32_t deliveries, std::uint32_t orders, std::uint64_t seed) {
  random chance{seed};
  std::vector<submission> all;
  for (std::uint32_t i = 0; i < deliveries; ++i)
    all.push_back(make_delivery(numbered(i), chance));
  for (std::uint32_t i = 0; i < orders; ++i)
    all.push_back(make_order(numbered(i), chance));
  std::shuffle(all.begin(), all.end(), chance);
  return all;
}

} // namespace demo
