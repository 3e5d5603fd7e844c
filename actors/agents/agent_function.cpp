#include "actors/agents/agent_function.hpp"

#include <utility>

namespace steadfast::actors {

answer succeeded(std::string result) {
  return {report_kind::succeeded, std::move(result), {}, true, workflow::span{0}, false};
}

answer failed_for_good(std::string why, bool maybe_done) {
  return {report_kind::failed_permanent, {}, std::move(why), maybe_done, workflow::span{0}, false};
}

answer failed_for_now(std::string why, bool maybe_done) {
  return {report_kind::failed_transient, {}, std::move(why), maybe_done, workflow::span{0}, maybe_done};
}

answer did_not_happen() {
  return {report_kind::denied, {}, "it did not happen", false, workflow::span{0}, false};
}

answer ends_later() {
  return {report_kind::taken_on, {}, {}, true, workflow::span{0}, false};
}

} // namespace steadfast::actors
