#include "apps/views/progress.hpp"

#include "apps/views/story.hpp"
#include "runtime/text/time_text.hpp"

#include <algorithm>

namespace steadfast::apps {
namespace {

using nlohmann::json;

std::string text_of(workflow::instant at, const std::string& what) {
  return (at == workflow::never ? std::string(12, ' ') : local_text(at, true).substr(11)) + "  " + what;
}

/// When the task entered its state, if that is known; otherwise when it was seen in it.
workflow::instant time_of_state(const json& task, workflow::instant seen) {
  const bool is_pending = task.value("process_state", std::string{}) == "pending"; // it was submitted, or waits again
  const auto entered = instant_of(task.value(is_pending ? "changed_at" : "ended_at", json{}));
  return entered == workflow::unset ? seen : entered;
}

std::string verb_of(const std::string& action) {
  return action == "undo" ? "undoing" : action == "probe" ? "asking about" : "running";
}

/// The service has answered, but not what the step is repeated for.
bool is_not_as_wanted(const json& step, const json& record) {
  if (!step.contains("calls") || record.value("action", std::string{}) != "do"
      || record.value("outcome", std::string{}) != "succeeded")
    return false;
  std::uint32_t last = 0;
  for (const auto& r : step.value("log", json::array()))
    if (r.value("action", std::string{}) == "do")
      last = r.value("attempt", 0U);
  return record.value("attempt", 0U) != last || step.value("completed_at", json{}).is_null();
}

std::string asked_again(const json& step, const json& record) {
  std::string text = "its result is not as wanted";
  const bool is_last = step.at("log").back() == record;
  if (is_last && step.value("calls", 0U) >= step.value("calls_max", 0U))
    return text;
  text += "; it is asked again";
  const auto at = instant_of(step.value("not_before", json{}));
  return is_last && at != workflow::unset ? text + " at " + local_text(at).substr(11) : text;
}

/// For what it waits, and until when.
std::string awaited(const json& step) {
  std::string text;
  if (step.contains("question")) {
    text = ": asks a person with the role `" + step.value("waits_for_role", std::string{})
           + "`: " + step.value("question", std::string{});
  } else if (step.contains("waits_for_event")) {
    const auto key = step.value("event_key", std::string{});
    text = ": for an event `" + step.value("waits_for_event", std::string{}) + "`"
           + (key.empty() ? "" : " with the key `" + key + "`");
  } else if (step.contains("child")) {
    text = ": for the end of task `" + step.value("child", std::string{}) + "`";
  }
  const auto until = instant_of(step.value(step.contains("limit_at") ? "limit_at" : "not_before", json{}));
  return printable(until == workflow::unset ? text
                                            : text + (text.empty() ? " until " : "; until ") + local_text(until));
}

std::string ending(const json& record) {
  auto text = record.value("outcome", std::string{});
  for (auto& c : text)
    if (c == '_')
      c = ' ';
  const auto note = record.value("note", std::string{});
  return printable(note.empty() ? text : text + ": " + note);
}

} // namespace

void progress_teller::tell_step(const json& step, known_step& known, const terminal& to,
                                std::vector<happening>& happenings) const {
  const auto name = step.value("name", std::string{});
  for (const auto& r : step.value("log", json::array())) {
    const auto number = r.value("attempt", 0U);
    const bool waits = r.value("agent", std::string{}).empty();
    const auto which = waits ? name : name + ", attempt " + std::to_string(number);
    if (number > known.begun_attempt) {
      known.begun_attempt = number;
      const bool waits_now =
        waits && step.value("state", std::string{}) == "waiting" && r.value("ended_at", json{}).is_null();
      happenings.push_back(
        {instant_of(r.value("started_at", json{})), (waits ? "waiting at" : verb_of(r.value("action", std::string{})))
                                                      + (" " + which) + (waits_now ? awaited(step) : "")});
    }
    if (number > known.told_attempt && !r.value("ended_at", json{}).is_null()) {
      known.told_attempt = number;
      const bool is_repeated = is_not_as_wanted(step, r);
      const bool is_good = r.value("outcome", std::string{}) == "succeeded" && !is_repeated;
      const auto how =
        painted(is_repeated ? asked_again(step, r) : ending(r), is_good ? colour::good : colour::warning, to);
      happenings.push_back({instant_of(r["ended_at"]), which + ": " + how});
    }
  }
  if (const auto progress = step.value("progress", std::string{}); !progress.empty() && progress != known.progress) {
    known.progress = progress;
    if (step.value("ends_later", false) || step.contains("items_workflow"))
      happenings.push_back({workflow::never, name + ": " + printable(progress)});
  }
  const auto state = step.value("state", std::string{});
  if (state == "skipped" && known.state != state)
    happenings.push_back({workflow::never, name + ": skipped"});
  known.state = state;
}

std::vector<std::string> progress_teller::news(const json& task, workflow::instant now, const terminal& to) {
  std::vector<happening> happenings;
  for (const auto& step : task.value("steps", json::array()))
    tell_step(step, steps_[step.value("name", std::string{})], to, happenings);
  std::stable_sort(happenings.begin(), happenings.end(),
                   [](const happening& a, const happening& b) { return a.at < b.at; });
  std::vector<std::string> lines;
  lines.reserve(happenings.size() + 1);
  for (const auto& h : happenings) {
    lines.push_back(text_of(h.at, h.what));
    if (h.at != workflow::never)
      told_at_ = std::max(told_at_, h.at);
  }
  const auto state = task.value("process_state", std::string{});
  if (state != state_) {
    const auto cause = task.value("cause", std::string{});
    told_at_ = std::max(told_at_, time_of_state(task, now)); // `now` and the task's times are of different clocks
    lines.push_back(
      text_of(told_at_, painted(state, colour_of_state(state), to) + (cause.empty() ? "" : ": " + printable(cause))));
    state_ = state;
  }
  return lines;
}

} // namespace steadfast::apps
