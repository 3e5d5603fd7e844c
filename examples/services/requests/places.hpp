#pragma once

#include "examples/services/requests/fields.hpp"

#include <optional>
#include <string>

namespace services {

struct place {
  double latitude = 0;
  double longitude = 0;
};

/// A named zone ("north") or {"lat": 52.5, "lon": 13.4}; refuses anything else in `from`.
place read_place(fields& from, const json& body, const std::string& field);

/// Over the great circle.
double distance_km(const place& a, const place& b);

} // namespace services
