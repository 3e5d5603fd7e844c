// Alerts, and the incidents that they form.

#include "runtime/control/control_context.hpp"
#include "runtime/text/json.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;

std::uint32_t page_of(const api::arguments& params) {
  return params.number<std::uint32_t>("max");
}

store::alert_filter alert_filter_of(const api::arguments& params) {
  store::alert_filter f;
  f.open_only = !params.flag("all");
  f.incident = params.number("incident");
  f.kind = params.text("kind");
  f.step = params.text("step");
  f.task = params.text("task");
  f.text = params.text("text");
  f.raised_before = moment_of(params, "before_ms", f.raised_before);
  f.raised_after = moment_of(params, "after_ms", f.raised_after);
  return f;
}

json next_json(const std::optional<std::uint64_t>& next) {
  return next ? json(*next) : json{};
}

actors::boxed<store::incident_page> incidents(const control_context& c, const actors::list_incidents& question) {
  return c.ask<actors::boxed<store::incident_page>>(c.parts.reader, question);
}

store::incident_act incident_act_of(const std::string& name) {
  static const std::map<std::string, store::incident_act> acts{{"ack", store::incident_act::acknowledge},
                                                               {"mute", store::incident_act::mute},
                                                               {"unmute", store::incident_act::unmute},
                                                               {"note", store::incident_act::note}};
  return acts.at(name); // one of its choices
}

} // namespace

json list_alerts(const control_context& c, const api::arguments& params) {
  actors::find_alerts question;
  question.filter = actors::boxed<store::alert_filter>{alert_filter_of(params)};
  question.before = params.number("before");
  question.max = page_of(params);
  const auto page = c.ask<actors::boxed<store::alert_list>>(c.parts.reader, question);
  json alerts = json::array();
  for (const auto& a : page->alerts)
    alerts.push_back(alert_json(a));
  return {{"alerts", alerts}, {"next", next_json(page->next)}};
}

json acknowledge_alert(const control_context& c, const api::arguments& params) {
  store::acknowledge_alert what;
  what.alert = params.number("alert");
  what.who = params.text("who");
  const auto outcome = c.write(std::move(what));
  if (outcome.result != store::write_status::applied)
    throw api::error{api::error::not_found, outcome.why};
  return json::object();
}

json list_incidents(const control_context& c, const api::arguments& params) {
  actors::list_incidents question;
  question.open_only = !params.flag("all");
  question.before = params.number("before");
  question.max = page_of(params);
  const auto page = incidents(c, question);
  json list = json::array();
  for (const auto& x : page->incidents)
    list.push_back(incident_json(x));
  return {{"incidents", list}, {"next", next_json(page->next)}};
}

json show_incident(const control_context& c, const api::arguments& params) {
  actors::list_incidents question;
  question.number = params.number("incident");
  const auto page = incidents(c, question);
  if (page->incidents.empty())
    throw api::error{api::error::not_found, "there is no incident with the number " + std::to_string(question.number)};
  return {{"incident", incident_json(page->incidents.front())}};
}

/// Its alerts are acknowledged in parts: the answer is that of the last part.
json act_on_incident(const control_context& c, const api::arguments& params) {
  store::act_on_incident what;
  what.number = params.number("incident");
  what.act = incident_act_of(params.text("act"));
  what.until = moment_of(params, "until_ms", what.until);
  what.who = params.text("who");
  what.why = params.text("why");
  std::uint64_t alerts = 0;
  for (bool more = true; more;) {
    const auto outcome = c.write(what);
    if (outcome.result != store::write_status::applied)
      throw control_context::error_of(outcome.result, outcome.why);
    alerts += outcome.acknowledged;
    more = outcome.more;
  }
  return {{"alerts", alerts}};
}

} // namespace steadfast
