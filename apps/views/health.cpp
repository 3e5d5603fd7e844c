#include "apps/views/health.hpp"

#include "apps/views/story.hpp"
#include "runtime/text/health.hpp"
#include "runtime/text/time_text.hpp"

#include <cstdint>

namespace steadfast::apps {
namespace {

using nlohmann::json;

std::string text_in(const json& x, const char* name) {
  return x.value(name, std::string{});
}

/// "02:14" today, else with the date.
std::string since_text(const json& at, workflow::instant now) {
  const auto moment = instant_of(at);
  if (moment == workflow::unset)
    return "a start"; // written while a store was opened: there is no clock yet
  const auto text = local_text(moment, false);
  return text.substr(0, 10) == local_text(now, false).substr(0, 10) ? text.substr(11, 5) : text.substr(0, 16);
}

std::string state_of(const json& x, workflow::instant now) {
  if (!x.value("closed_at", json{}).is_null())
    return "closed " + moment_text(x.at("closed_at"), now);
  if (runtime::is_muted(x, now))
    return x.value("muted_until", json{}).is_null() ? "muted" : "muted until " + since_text(x.at("muted_until"), now);
  const auto who = text_in(x, "acknowledged_by");
  return who.empty() ? "new" : "acknowledged by " + who;
}

} // namespace

table incident_table(const json& incidents, workflow::instant now, std::size_t max) {
  table rows{{"incident", "began", "last", "tasks", "kind", "agent", "step", "state", "cause"}};
  for (const auto& x : incidents) {
    if (max-- == 0)
      break;
    const auto step = text_in(x, "workflow") + (text_in(x, "step").empty() ? "" : "/" + text_in(x, "step"));
    const auto state = state_of(x, now);
    rows.add({std::to_string(x.value("number", std::uint64_t{0})),
              since_text(x.value("first_at", json{}), now),
              since_text(x.value("last_at", json{}), now),
              std::to_string(x.value("tasks", std::uint64_t{0})),
              text_in(x, "kind"),
              text_in(x, "agent"),
              step,
              {state, state == "new" ? colour::bad : colour::faint},
              x.value("is_condition", false) ? text_in(x, "sample_text") : text_in(x, "cause")});
  }
  return rows;
}

} // namespace steadfast::apps
