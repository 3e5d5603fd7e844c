#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace steadfast::api {

/// What a node answers instead of a result. The numbers are sent, and never change.
class error : public std::runtime_error {
public:
  enum code : int {
    invalid_params = -32602, ///< the sentence names the parameter
    fault = -32603,          ///< of the node
    refused = 1,             ///< it cannot be done
    busy = 2,                ///< the store is full or too much is waiting: try again after retry_after()
    timed_out = 3,           ///< no answer in time: the outcome is unknown
    not_found = 4            ///< there is no such task, workflow, lease, ...
  };
  error(code c, const std::string& what, std::chrono::milliseconds retry_after = {}, std::string parameter = {})
      : std::runtime_error{what},
        code_{c},
        retry_after_{retry_after},
        parameter_{std::move(parameter)} {}
  code number() const { return code_; }
  std::chrono::milliseconds retry_after() const { return retry_after_; }
  /// The one that is wrong, of invalid_params; empty: it is none alone.
  const std::string& parameter() const { return parameter_; }

private:
  code code_;
  std::chrono::milliseconds retry_after_;
  std::string parameter_;
};

} // namespace steadfast::api
