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
  if (task.value("process_state", std::string{}) == "pending")
    return instant_of(task.value("submitted_at", json{}));
  const auto ended = instant_of(task.value("ended_at", json{}));
  return ended == workflow::unset ? seen : ended;
}

std::string verb_of(const std::string& action) {
  return action == "undo" ? "undoing" : action == "probe" ? "asking about" : "running";
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
      happenings.push_back({instant_of(r.value("started_at", json{})),
                            (waits ? "waiting at" : verb_of(r.value("action", std::string{}))) + (" " + which)});
    }
    if (number > known.told_attempt && !r.value("ended_at", json{}).is_null()) {
      known.told_attempt = number;
      const auto outcome = r.value("outcome", std::string{});
      const auto paint = outcome == "succeeded" ? colour::good : colour::warning;
      happenings.push_back({instant_of(r["ended_at"]), which + ": " + painted(ending(r), paint, to)});
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
  for (const auto& h : happenings)
    lines.push_back(text_of(h.at, h.what));
  const auto state = task.value("process_state", std::string{});
  if (state != state_) {
    const auto cause = task.value("cause", std::string{});
    lines.push_back(text_of(time_of_state(task, now), painted(state, colour_of_state(state), to)
                                                        + (cause.empty() ? "" : ": " + printable(cause))));
    state_ = state;
  }
  return lines;
}

} // namespace steadfast::apps
