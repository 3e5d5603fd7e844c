#pragma once

#include "workflow/text/split.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::runtime {

/// What is wrong with a configuration or workflow file: one sentence each, "FILE:LINE: KEY: what and what is allowed".
class config_error : public std::runtime_error {
public:
  explicit config_error(std::vector<std::string> problems)
      : std::runtime_error{workflow::joined(problems, "\n")},
        problems_{std::move(problems)} {}

  const std::vector<std::string>& problems() const { return problems_; }

private:
  std::vector<std::string> problems_;
};

} // namespace steadfast::runtime
