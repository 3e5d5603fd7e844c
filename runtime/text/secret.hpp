#pragma once

#include <ostream>
#include <string>
#include <utility>

namespace steadfast::runtime {

/// A value that is never shown: printed, it is ***.
class secret {
public:
  secret() = default;
  explicit secret(std::string value) : value_{std::move(value)} {}

  /// The value itself, for the one place that needs it.
  const std::string& reveal() const { return value_; }

  friend bool operator==(const secret&, const secret&) = default;
  friend std::ostream& operator<<(std::ostream& out, const secret&) { return out << "***"; }

private:
  std::string value_;
};

} // namespace steadfast::runtime
