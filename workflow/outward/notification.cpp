#include "workflow/outward/notification.hpp"

#include "workflow/text/json_text.hpp"
#include "workflow/text/name.hpp"
#include "workflow/time/time_text.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace steadfast::workflow {

namespace {

constexpr std::string_view webhook_prefix = "webhook ";
constexpr std::size_t told_text_max = 4096; ///< bytes of one text in a body

constexpr std::array<std::pair<outward_event, std::string_view>, 5> event_names{{
  {outward_event::processed, "processed"},
  {outward_event::undone, "undone"},
  {outward_event::error, "error"},
  {outward_event::alert, "alert"},
  {outward_event::incident, "incident"},
}};

struct body_member {
  std::string_view name;
  std::string json;
};

body_member text_member(std::string_view name, std::string_view text) {
  return {name, json_string(clipped(text, told_text_max))};
}
body_member number_member(std::string_view name, std::uint64_t n) {
  return {name, std::to_string(n)};
}

std::string object_of(std::initializer_list<body_member> members) {
  std::string object = "{";
  for (const auto& m : members)
    (object += object.size() == 1 ? "\"" : ",\"").append(m.name).append("\":").append(m.json);
  return object + "}";
}

std::string id_of(std::string_view what, std::uint64_t number, std::string_view which, instant at) {
  return std::string{what} + "-" + std::to_string(number) + "-" + std::string{which} + "-"
         + std::to_string(at.time_since_epoch().count());
}

notification told(std::string id, std::string_view type, instant at, std::string data) {
  return {std::move(id),
          object_of({text_member("type", type), text_member("timestamp", utc_text(at)), {"data", std::move(data)}}),
          at};
}

} // namespace

std::string_view to_string(outward_event e) {
  const auto* const found =
    std::find_if(event_names.begin(), event_names.end(), [&](const auto& x) { return x.first == e; });
  return found == event_names.end() ? "invalid" : found->second;
}

std::optional<outward_event> parse_outward_event(std::string_view text) {
  const auto* const found =
    std::find_if(event_names.begin(), event_names.end(), [&](const auto& x) { return x.second == text; });
  return found == event_names.end() ? std::nullopt : std::optional{found->first};
}

bool wants(const subscription& s, outward_event e, std::string_view workflow) {
  const auto has = [](const auto& all, const auto& one) { return std::find(all.begin(), all.end(), one) != all.end(); };
  return has(s.events, e) && (s.workflows.empty() || has(s.workflows, workflow));
}

std::string observer_of_webhook(std::string_view name) {
  return std::string{webhook_prefix}.append(name);
}

bool is_webhook(std::string_view observer) {
  return observer.starts_with(webhook_prefix);
}

outward_event end_of(process_state ended) {
  switch (ended) {
    case process_state::processed: return outward_event::processed;
    case process_state::undone: return outward_event::undone;
    default: return outward_event::error;
  }
}

notification end_told(const task& t, std::uint64_t revision) {
  const auto state = to_string(t.state);
  return told(
    id_of("task", t.number, std::to_string(revision), t.ended_at), "task." + std::string{state}, t.ended_at,
    object_of({text_member("task", t.id), number_member("number", t.number), text_member("workflow", t.workflow),
               number_member("version", t.version), text_member("state", state), text_member("cause", t.cause)}));
}

notification alert_told(const told_alert& which, const alert& what, const incident_signature& signature) {
  return told(id_of("alert", which.number, what.kind, what.at), "alert.raised", what.at,
              object_of({number_member("alert", which.number), text_member("kind", what.kind),
                         text_member("text", what.text), text_member("task", which.task_id),
                         number_member("number", which.task_number), text_member("workflow", signature.workflow),
                         text_member("step", what.step), text_member("agent", signature.agent),
                         text_member("cause", signature.cause), number_member("incident", which.incident)}));
}

notification incident_told(const told_incident& which, const incident_signature& what) {
  const std::string_view state = which.is_over ? "over" : "opened";
  return told(id_of("incident", which.number, std::to_string(which.times) + "-" + std::string{state}, which.at),
              "incident." + std::string{state}, which.at,
              object_of({number_member("incident", which.number), number_member("times", which.times),
                         text_member("kind", what.kind), text_member("text", which.sample_text),
                         text_member("task", which.sample_task), number_member("tasks", which.tasks),
                         text_member("workflow", what.workflow), text_member("step", what.step),
                         text_member("agent", what.agent), text_member("cause", what.cause)}));
}

notification test_told(std::string_view webhook, std::uint64_t number, instant now) {
  return told(id_of("test", number, webhook, now), "webhook.test", now, object_of({text_member("webhook", webhook)}));
}

} // namespace steadfast::workflow
