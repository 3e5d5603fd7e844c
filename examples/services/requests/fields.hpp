#pragma once

#include "examples/services/requests/call.hpp"

#include <string>

namespace services {

/// Why a request is refused for good.
struct refusal {
  std::string field;
  std::string sentence; ///< names the field
};

/// Takes fields out of a request's body and remembers the first invalid one.
class fields {
public:
  explicit fields(const json& body) : body_{body} {}

  std::string text(const std::string& name);            ///< not empty, at most 200 bytes
  std::string text_or_nothing(const std::string& name); ///< empty when absent or null
  double number(const std::string& name, double above, double at_most);
  const json& list(const std::string& name); ///< 1 to 100 elements

  void refuse(const std::string& name, const std::string& why); ///< "field `name` why"
  bool are_good() const { return first_.sentence.empty(); }
  const refusal& first_refusal() const { return first_; }

private:
  const json& member(const std::string& name) const;

  const json& body_;
  refusal first_;
};

} // namespace services
