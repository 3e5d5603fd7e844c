#include "workflow/text/name.hpp"
#include "workflow/transition/event.hpp"
#include "workflow/transition/transition.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace steadfast::workflow;

TEST_CASE("names are letters, digits, underscore and hyphen, 1 to 64 of them") {
  CHECK(is_name("a"));
  CHECK(is_name("Schedule_Drone-2"));
  CHECK(is_name("09AZaz"));
  CHECK(is_name(std::string(64, 'x')));
  for (const auto* text : {"", "a b", "a/b", "a.b", "\xc3\xa4", "@", "[", "`", "{", ":"})
    CHECK_FALSE(is_name(text));
  CHECK_FALSE(is_name(std::string(65, 'x')));
}

TEST_CASE("words and texts are printable and bounded") {
  CHECK(is_word("a/b:~!", 6));
  for (const auto* text : {"", "a b", "\n", "\x7f", "1234567"})
    CHECK_FALSE(is_word(text, 6));
  CHECK(is_text("a b", 3));
  for (const auto* text : {"", "a\r\n", "1234"})
    CHECK_FALSE(is_text(text, 3));
}

TEST_CASE("what is quoted is safe to show") {
  CHECK(quoted("a b") == "`a b`");
  CHECK(quoted("a\x1b[31m") == "`a?[31m`");
  CHECK(quoted("M\xc3\xbcller \xf0\x9f\x9a\x80") == "`M\xc3\xbcller \xf0\x9f\x9a\x80`");
  CHECK(quoted("\xc2\x9b"
               "31m\xff\xc3")
        == "`?31m??`");
  CHECK(quoted("\xe2\x80\xae") == "`?`"); // or the letters after it would be shown from right to left
  CHECK(quoted(std::string(63, 'x') + "\xc3\xa4") == "`" + std::string(63, 'x') + "...`");
  CHECK(quoted(std::string(65, 'x')) == "`" + std::string(64, 'x') + "...`");
}

TEST_CASE("text is clipped between two characters") {
  CHECK(clipped("abc", 3) == "abc");
  CHECK(clipped("abcd", 3) == "abc");
  CHECK(clipped("a\xc3\xa4", 2) == "a");
  CHECK(clipped("a\xc3\xa4z", 3) == "a\xc3\xa4");
  CHECK(clipped("\xf0\x9f\x9a\x80z", 3).empty());
  CHECK(clipped("abc", 0).empty());
}

namespace {

// Each value has a name of its own, and a number without a value has none.
template <class Enum>
void check_names(int first, int last) {
  std::set<std::string_view> names;
  for (int i = first; i <= last; ++i) {
    const auto name = to_string(static_cast<Enum>(i));
    CAPTURE(i);
    CHECK(name != "invalid");
    CHECK(names.insert(name).second);
  }
  CHECK(to_string(static_cast<Enum>(first - 1)) == "invalid");
  CHECK(to_string(static_cast<Enum>(last + 1)) == "invalid");
}

} // namespace

TEST_CASE("every state, action, outcome, notice and status has a name") {
  check_names<process_state>(1, 7);
  check_names<step_state>(1, 10);
  check_names<attempt_action>(0, 3);
  check_names<attempt_outcome>(0, 6);
  check_names<notice_kind>(1, 10);
  check_names<event_status>(0, 2);
  CHECK(to_string(attempt_action::perform) == "do");
  CHECK(to_string(step_state::compensation_failed) == "compensation_failed");
}

TEST_CASE("a process state is read back from its name") {
  for (int i = 1; i <= 7; ++i)
    CHECK(parse_process_state(to_string(static_cast<process_state>(i))) == static_cast<process_state>(i));
  CHECK_FALSE(parse_process_state("invalid").has_value());
  CHECK_FALSE(parse_process_state("").has_value());
}

TEST_CASE("every event has a name") {
  const std::vector<event> events{
    taken{},        time_passed{},     attempt_succeeded{}, attempt_failed{},  attempt_declined{}, attempt_stopped{},
    probe_denied{}, attempt_expired{}, round_failed{},      deadline_passed{}, attempt_taken_on{}, later_completed{},
    later_failed{}, later_extended{},  event_came{},        answered{},        lock_released{},    lock_lapsed{},
    wait_noticed{}, step_retried{},    step_skipped{},      payload_edited{},  undo_requested{},   cancelled{},
    suspended{},    resumed{},         child_ended{}};
  std::set<std::string_view> names;
  for (const auto& e : events)
    names.insert(name_of(e));
  CHECK(names.size() == std::variant_size_v<event>);
  CHECK(name_of(attempt_failed{}) == "attempt_failed");
}
