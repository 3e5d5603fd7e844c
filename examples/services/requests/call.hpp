#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace services {

using json = nlohmann::json;

enum class action { perform, undo, probe };

std::string_view to_string(action a); ///< "do", "undo", "probe"

/// One request of a coordinator about one effect.
struct call {
  services::action action = services::action::perform;
  std::string key;      ///< of this request
  std::string reverses; ///< the key of the effect it is about; with perform the same as `key`
  std::string task;
  std::string step;
  std::uint64_t epoch = 0;
  std::uint64_t attempt = 0;
  std::uint64_t attempt_try = 0;  ///< repetition inside the attempt
  std::uint64_t time_left_ms = 0; ///< until the attempt is over; 0: it did not say
  std::string token;              ///< ends the step later; empty: the step ends with the answer
  json body = json::object();
  std::string args; ///< hash of the body; the order of its members does not count
};

/// Gives the value of a header, empty when it was not sent.
using header_reader = std::function<std::string(const char*)>;

/// Fills `into` from the request. Returns what is wrong with it; empty: nothing.
std::string read_call(call& into, action what, const header_reader& header, const std::string& body);

} // namespace services
