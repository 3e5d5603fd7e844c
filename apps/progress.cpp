#include "apps/progress.hpp"

#include "apps/story.hpp"
#include "runtime/time_text.hpp"

namespace steadfast::apps {
namespace {

using nlohmann::json;

std::string line(const json& at, const std::string& what) {
  const auto when = instant_of(at);
  return (when == workflow::unset ? std::string(12, ' ') : local_text(when, true).substr(11)) + "  " + what;
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
                                std::vector<std::string>& lines) const {
  const auto name = step.value("name", std::string{});
  for (const auto& r : step.value("log", json::array())) {
    const auto number = r.value("attempt", 0U);
    const auto which = name + ", attempt " + std::to_string(number);
    if (number > known.begun_attempt) {
      known.begun_attempt = number;
      lines.push_back(line(r.value("started_at", json{}), verb_of(r.value("action", std::string{})) + " " + which));
    }
    if (number > known.told_attempt && !r.value("ended_at", json{}).is_null()) {
      known.told_attempt = number;
      const auto outcome = r.value("outcome", std::string{});
      lines.push_back(line(r["ended_at"], which + ": "
                                            + painted(ending(r), outcome == "succeeded" ? colour::good : colour::warning, to)));
    }
  }
  const auto state = step.value("state", std::string{});
  if (state == "skipped" && known.state != state)
    lines.push_back(line({}, name + ": skipped"));
  known.state = state;
}

std::vector<std::string> progress_teller::news(const json& task, workflow::instant now, const terminal& to) {
  std::vector<std::string> lines;
  for (const auto& step : task.value("steps", json::array()))
    tell_step(step, steps_[step.value("name", std::string{})], to, lines);
  const auto state = task.value("process_state", std::string{});
  if (state != state_) {
    const auto cause = task.value("cause", std::string{});
    lines.push_back(local_text(now, true).substr(11) + "  " + painted(state, colour_of_state(state), to)
                    + (cause.empty() ? "" : ": " + printable(cause)));
    state_ = state;
  }
  return lines;
}

} // namespace steadfast::apps
