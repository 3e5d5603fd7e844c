#pragma once

#include "api/method.hpp"

#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace steadfast::api {

/// The parameters of one call, as in the table. The function that carries out the method reads them by the names of the
/// table: any other name is a bug, and throws std::logic_error.
class arguments {
public:
  /// Throws api::error, which names the parameter, if one is missing, has a wrong value, or is unknown to the method: a
  /// misspelt one would otherwise be a default that nobody asked for. Both must outlive it.
  arguments(const method& m, const nlohmann::json& given);
  arguments(const method& m, nlohmann::json&& given) = delete;

  bool has(std::string_view name) const { return found(name) != nullptr; }
  /// If it is not given, the default of the table; empty if there is none.
  std::string text(std::string_view name) const;
  bool flag(std::string_view name) const;
  /// Likewise; 0 if there is none.
  template <std::integral T = std::uint64_t>
  T number(std::string_view name) const;
  /// Likewise null.
  const nlohmann::json& value(std::string_view name) const;
  /// Milliseconds since 1970, or the number that is passed in.
  std::int64_t moment(std::string_view name, std::int64_t absent) const;

  const nlohmann::json& given() const { return *given_; }

private:
  const parameter& parameter_of(std::string_view name) const;
  const nlohmann::json* found(std::string_view name) const; ///< among those that were given
  const nlohmann::json& number_at(std::string_view name) const;
  template <class T>
  [[nodiscard]] static T fitting(std::string_view name, T value, bool fits) {
    if (!fits)
      too_narrow(name);
    return value;
  }
  [[noreturn]] static void too_narrow(std::string_view name);

  const method* method_;
  const nlohmann::json* given_;
};

template <std::integral T>
T arguments::number(std::string_view name) const {
  const auto& n = number_at(name);
  if (n.is_null())
    return T{};
  if (n.is_number_unsigned()) {
    const auto whole = n.get<std::uint64_t>();
    return fitting(name, static_cast<T>(whole), std::in_range<T>(whole));
  }
  const auto whole = n.get<std::int64_t>();
  return fitting(name, static_cast<T>(whole), std::in_range<T>(whole));
}

} // namespace steadfast::api
