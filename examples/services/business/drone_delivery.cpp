#include "examples/services/business/business.hpp"
#include "examples/services/requests/hash.hpp"
#include "examples/services/requests/places.hpp"

#include <cmath>

// The five services behind the workflow drone_delivery.

namespace services {

namespace {

constexpr double drone_range_km = 20;
constexpr double drone_load_kg = 30;
constexpr double drone_speed_km_per_minute = 0.8;

double rounded(double number) {
  return std::round(number * 100) / 100;
}

decision check_account(const json& body, const std::string&) {
  fields in{body};
  const auto customer = in.text("customer");
  if (customer.starts_with("unknown"))
    in.refuse("customer", "names nobody we know: " + customer);
  if (customer.starts_with("suspended"))
    in.refuse("customer", "names a suspended account: " + customer);
  if (!in.are_good())
    return in.first_refusal();
  return json{{"customer", customer}, {"account_id", id_from_key("acc-", customer)}, {"status", "active"}};
}

decision create_package(const json& body, const std::string& key) {
  fields in{body};
  const auto customer = in.text("customer");
  const auto weight = in.number("weight_kg", 0, drone_load_kg);
  if (!in.are_good())
    return in.first_refusal();
  return json{{"package_id", id_from_key("pkg-", key)}, {"customer", customer}, {"weight_kg", weight}};
}

decision decide_transport(const json& body, const std::string&) {
  fields in{body};
  const auto from = read_place(in, body, "from");
  const auto to = read_place(in, body, "to");
  if (!in.are_good())
    return in.first_refusal();
  const auto distance = rounded(distance_km(from, to));
  return json{
    {"third_party", distance > drone_range_km}, {"distance_km", distance}, {"drone_range_km", drone_range_km}};
}

decision schedule_drone(const json& body, const std::string& key) {
  fields in{body};
  const auto package = in.text("package_id");
  const auto from = read_place(in, body, "from");
  const auto to = read_place(in, body, "to");
  const auto distance = distance_km(from, to);
  if (distance > drone_range_km)
    in.refuse("to", "is farther away than a drone flies (" + std::to_string(std::lround(distance)) + " km)");
  if (!in.are_good())
    return in.first_refusal();
  return json{{"drone_id", "drone-" + std::to_string(hash_number(key) % 200)},
              {"booking_id", id_from_key("fly-", key)},
              {"package_id", package},
              {"minutes", std::lround(5 + distance / drone_speed_km_per_minute)}};
}

decision create_delivery(const json& body, const std::string& key) {
  fields in{body};
  const auto customer = in.text("customer");
  const auto package = in.text("package_id");
  const auto drone = in.text_or_nothing("drone_id");
  if (!in.are_good())
    return in.first_refusal();
  return json{{"delivery_id", id_from_key("dlv-", key)},
              {"customer", customer},
              {"package_id", package},
              {"carrier", drone.empty() ? "third_party" : drone}};
}

} // namespace

std::vector<business> drone_delivery_businesses() {
  return {
    {"account", "check", "checks the customer's account: {customer}", check_account},
    {"package", "create", "creates a package record: {customer, weight_kg}", create_package},
    {"transport", "decide", "decides whether a third-party carrier is needed: {from, to}", decide_transport},
    {"drone", "schedule", "schedules a drone: {package_id, from, to}", schedule_drone},
    {"delivery", "create", "creates the delivery: {customer, package_id, drone_id unless third party}",
     create_delivery},
  };
}

} // namespace services
