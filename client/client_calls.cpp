#include "client/client_calls.hpp"

#include "api/error.hpp"
#include "api/names.hpp"
#include "client/time_id.hpp"

#include <algorithm>
#include <thread>

namespace steadfast {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds look_first{5};
constexpr milliseconds look_longest{250};

client_error::kind kind_of(std::int64_t number) {
  switch (number) {
    case api::error::busy: return client_error::kind::busy;
    case api::error::timed_out: return client_error::kind::timed_out;
    case api::error::not_found: return client_error::kind::not_found;
    default: return client_error::kind::refused;
  }
}

bool has_ended(const std::string& state) {
  return state == "processed" || state == "undone" || state == "error";
}

const char* name_of(on_overlap x) {
  switch (x) {
    case on_overlap::skip: return "skip";
    case on_overlap::queue: return "queue";
    case on_overlap::allow: return "allow";
    case on_overlap::cancel: break;
  }
  return "cancel";
}

json fields_of(const schedule& s) {
  json j{{"name", s.name},
         {"workflow", s.workflow},
         {"version", s.version},
         {"zone", s.zone},
         {"jitter_ms", s.jitter.count()},
         {"overlap", name_of(s.overlap)},
         {"catch_up_ms", s.catch_up.count()},
         {"catch_up_max", s.catch_up_max}};
  if (!s.cron.empty())
    j["cron"] = s.cron;
  if (s.every.count() != 0)
    j["every_ms"] = s.every.count();
  if (!s.payload.empty())
    j["payload"] = s.payload;
  if (!s.moment_as.empty())
    j["moment_as"] = s.moment_as;
  if (s.priority)
    j["priority"] = *s.priority;
  return j;
}

} // namespace

client_error error_of(std::int64_t number, const std::string& message, milliseconds retry_after) {
  const std::string reason{message.c_str()}; // what() ends at the first zero
  return {kind_of(number), reason.empty() ? "the node gave no reason" : reason, retry_after};
}

submitted submit(const ask_node& ask, const std::string& workflow, const std::string& payload,
                 const submit_options& options) {
  json params{{"workflow", workflow}, {"payload", payload}, {"id", options.id.empty() ? make_time_id() : options.id}};
  if (options.version != 0)
    params["version"] = options.version;
  if (options.priority)
    params["priority"] = *options.priority;
  if (!options.reply_to.empty())
    params["reply_to"] = options.reply_to;
  if (!options.traceparent.empty())
    params["traceparent"] = options.traceparent;
  if (options.conflict != on_conflict::same)
    params["on_conflict"] = options.conflict == on_conflict::refuse ? "refuse" : "replace";
  if (options.debounce.count() != 0)
    params["debounce_ms"] = options.debounce.count();
  const auto answer = ask(api::submit, params);
  return understood([&] {
    return submitted{answer.at("id"), answer.at("created"), answer.at("process_state"),
                     answer.value("replaced", false)};
  });
}

std::string wait(const ask_node& ask, const std::string& id, milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (auto pause = look_first;; pause = std::min(2 * pause, look_longest)) {
    const auto answer = ask(api::task_state, {{"id", id}});
    const auto state = understood([&] { return answer.at("process_state").get<std::string>(); });
    if (has_ended(state) || std::chrono::steady_clock::now() >= until)
      return state;
    std::this_thread::sleep_for(pause);
  }
}

json show(const ask_node& ask, const std::string& id) {
  const auto answer = ask(api::task_show, {{"id", id}});
  return understood([&] { return answer.at("task"); });
}

json result(const ask_node& ask, const std::string& id) {
  const auto answer = ask(api::task_state, {{"id", id}});
  return understood([&] { return answer.value("result", json{}); });
}

void complete_step(const ask_node& ask, const std::string& token, const std::string& result) {
  ask(api::step_complete, {{"token", token}, {"result", result}});
}

void fail_step(const ask_node& ask, const std::string& token, const step_failure& how) {
  ask(api::step_fail, {{"token", token},
                       {"error", how.why},
                       {"for_now", how.for_now},
                       {"maybe_done", how.maybe_done},
                       {"retry_after_ms", how.retry_after.count()}});
}

void extend_step(const ask_node& ask, const std::string& token, const std::string& progress, milliseconds length) {
  json params{{"token", token}, {"length_ms", length.count()}};
  if (!progress.empty())
    params["progress"] = progress;
  ask(api::step_extend, params);
}

std::uint64_t send_event(const ask_node& ask, const std::string& name, const std::string& key, const std::string& data,
                         const std::string& who, const std::string& id) {
  json params{{"event", name}, {"key", key}, {"data", data}, {"who", who}};
  if (!id.empty())
    params["id"] = id;
  const auto answer = ask(api::event_send, params);
  return understood([&] { return answer.value("event", std::uint64_t{0}); });
}

bool put_schedule(const ask_node& ask, const schedule& s, const std::string& who, const std::string& why) {
  const auto answer = ask(api::schedule_put, {{"schedule", fields_of(s)}, {"who", who}, {"why", why}});
  return understood([&] { return !answer.at("changed").empty(); });
}

} // namespace steadfast
