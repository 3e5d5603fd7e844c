#include "examples/checker/reading/words.hpp"

namespace checker {

namespace {

/// The value from 0 to `last` whose name it is.
template <class T>
std::optional<T> find_named(std::string_view word, T last) {
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(last); ++i)
    if (to_string(static_cast<T>(i)) == word)
      return static_cast<T>(i);
  return std::nullopt;
}

} // namespace

std::optional<action> parse_action(std::string_view word) {
  if (word == "do")
    return action::perform;
  if (word == "undo")
    return action::undo;
  if (word == "probe")
    return action::probe;
  return std::nullopt;
}

std::optional<result> parse_result(std::string_view word) {
  if (word == "created")
    return result::created;
  if (word == "repeated")
    return result::repeated;
  if (word == "refused")
    return result::refused;
  if (word == "undone")
    return result::undone;
  if (word == "undo_of_nothing")
    return result::undo_of_nothing;
  if (word == "undo_repeated")
    return result::undo_repeated;
  if (word == "failed")
    return result::failed;
  if (word == "failed_after_effect")
    return result::failed_after_effect;
  if (word == "probe_yes")
    return result::probe_yes;
  if (word == "probe_no")
    return result::probe_no;
  return std::nullopt;
}

std::optional<client_call::answer> parse_answer(std::string_view word) {
  using answer = client_call::answer;
  if (word == "none")
    return answer::none;
  if (word == "created")
    return answer::created;
  if (word == "there")
    return answer::there;
  if (word == "stored")
    return answer::stored;
  if (word == "conflict")
    return answer::conflict;
  if (word == "replaced")
    return answer::replaced;
  if (word == "begun")
    return answer::begun;
  if (word == "taken")
    return answer::taken;
  if (word == "absent")
    return answer::absent;
  if (word == "found")
    return answer::found;
  return std::nullopt;
}

std::optional<on_conflict> parse_conflict(std::string_view word) {
  if (word == "same")
    return on_conflict::same;
  if (word == "refuse")
    return on_conflict::refuse;
  if (word == "replace")
    return on_conflict::replace;
  return std::nullopt;
}

std::optional<wake::kind> parse_wake(std::string_view word) {
  using kind = wake::kind;
  if (word == "event")
    return kind::event;
  if (word == "complete")
    return kind::complete;
  if (word == "fail")
    return kind::fail;
  if (word == "extend")
    return kind::extend;
  if (word == "answer")
    return kind::answer;
  return std::nullopt;
}

std::string text_of_answer(std::string_view choice, std::string_view who) {
  return std::string{choice} + " by " + std::string{who};
}

std::optional<process_state> parse_process_state(std::string_view word) {
  return find_named(word, process_state::suspended);
}

std::optional<step_state> parse_step_state(std::string_view word) {
  return find_named(word, step_state::waiting);
}

} // namespace checker
