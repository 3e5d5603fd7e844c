#include "tests/chaos/rounds.hpp"

#include "api/names.hpp"
#include "tests/support/comes_true.hpp"

#include <nlohmann/json.hpp>

namespace chaos {

using steadfast::client_error;
using steadfast::tests::comes_true;

std::vector<std::string> rounds::end(const std::string& schedule) {
  std::vector<std::string> complaints;
  std::optional<std::uint64_t> before;
  const auto has_gone_on = [&] {
    const auto made = tasks_made(schedule);
    if (!before)
      before = made;
    return made && *made > *before;
  };
  if (!comes_true(has_gone_on))
    complaints.push_back("the schedule " + schedule + " made no task after the last fault");
  if (!comes_true([&] { return pause(schedule); }))
    complaints.push_back("the schedule " + schedule + " could not be paused");
  return complaints;
}

std::optional<std::uint64_t> rounds::tasks_made(const std::string& schedule) {
  try {
    const auto shown = client().call(steadfast::api::schedule_show, {{"name", schedule}});
    return shown.at("schedule").at("tasks_made").get<std::uint64_t>();
  } catch (const client_error&) {
    leave();
    return std::nullopt;
  }
}

/// It may have been, by a call that was not answered.
bool rounds::pause(const std::string& schedule) {
  try {
    client().call(steadfast::api::schedule_act, {{"name", schedule}, {"act", "pause"}, {"who", "the chaos test"}});
    return true;
  } catch (const client_error& e) {
    leave();
    return e.why() == client_error::kind::refused;
  }
}

steadfast::client& rounds::client() {
  if (!client_)
    client_.emplace(sockets_[node_ % sockets_.size()]);
  return *client_;
}

void rounds::leave() {
  client_.reset();
  ++node_;
}

} // namespace chaos
