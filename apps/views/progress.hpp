#pragma once

#include "apps/terminal/terminal.hpp"
#include "workflow/time/time.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace steadfast::apps {

/// Prints what is new in a task since the last look, a line for each event, in order of time.
class progress_teller {
public:
  /// `task` in the shape of `task show --json`.
  std::vector<std::string> news(const nlohmann::json& task, workflow::instant now, const terminal& to);

private:
  struct known_step {
    std::string state = "not_started";
    std::string progress;
    std::uint32_t told_attempt = 0;  ///< the last attempt whose end was told
    std::uint32_t begun_attempt = 0; ///< the last attempt whose beginning was told
  };
  struct happening {
    workflow::instant at; ///< never: not known, told last
    std::string what;
  };
  void tell_step(const nlohmann::json& step, known_step& known, const terminal& to,
                 std::vector<happening>& happenings) const;

  std::map<std::string, known_step> steps_;
  std::string state_;
  workflow::instant told_at_ = workflow::unset; ///< of the latest line; a state is told no earlier
};

} // namespace steadfast::apps
