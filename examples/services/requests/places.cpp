#include "examples/services/requests/places.hpp"

#include <cmath>
#include <map>
#include <numbers>

namespace services {

namespace {

// The city that the drones fly in, and two places out of their reach.
const std::map<std::string, place, std::less<>> zones = {
  {"depot", {52.5200, 13.4050}},   {"north", {52.5900, 13.4100}},  {"south", {52.4400, 13.4000}},
  {"east", {52.5150, 13.5300}},    {"west", {52.5100, 13.2900}},   {"harbour", {52.5360, 13.3400}},
  {"airport", {52.3667, 13.5033}}, {"island", {54.4500, 13.3800}},
};

std::string zone_names() {
  std::string names;
  for (const auto& [name, where] : zones)
    names += (names.empty() ? "" : ", ") + name;
  return names;
}

bool is_within(const json& value, double bound) {
  return value.is_number() && std::abs(value.get<double>()) <= bound;
}

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

} // namespace

place read_place(fields& from, const json& body, const std::string& field) {
  const auto given = body.value(field, json{});
  if (given.is_string()) {
    if (const auto found = zones.find(given.get<std::string>()); found != zones.end())
      return found->second;
  } else if (given.is_object() && is_within(given.value("lat", json{}), 90)
             && is_within(given.value("lon", json{}), 180)) {
    return {given["lat"].get<double>(), given["lon"].get<double>()};
  }
  from.refuse(field, "must be one of the zones " + zone_names() + ", or an object with lat and lon in degrees");
  return {};
}

double distance_km(const place& a, const place& b) {
  constexpr double earth_radius_km = 6371;
  const double north = std::sin((radians(b.latitude) - radians(a.latitude)) / 2);
  const double east = std::sin((radians(b.longitude) - radians(a.longitude)) / 2);
  const double half = north * north + std::cos(radians(a.latitude)) * std::cos(radians(b.latitude)) * east * east;
  return 2 * earth_radius_km * std::asin(std::sqrt(half));
}

} // namespace services
