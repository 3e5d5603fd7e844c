#include "apps/top/board_view.hpp"
#include "apps/top/text_view.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::apps;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using kind = key::kind;

namespace {

const terminal small{true, false, 60, 16};

board_list list_of(const std::string& what, std::size_t count, std::size_t shown) {
  board_list list{table{{what, "state"}}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = what + "-" + std::to_string(i);
    list.rows.add({name, i % 2 == 0 ? "Good" : "bad"});
    list.items.push_back({name, {{"show", name}}});
  }
  list.when_empty = "no " + what;
  list.shown = shown;
  list.rest = what;
  list.all = {what + "s", {{what, "list"}}};
  return list;
}

board two_lists() {
  return {"all is well\n2 nodes\n", {list_of("node", 2, 2), list_of("task", 7, 3)}};
}

std::string selected(const board_view& v) {
  return v.selected() == nullptr ? "" : v.selected()->name;
}

void press(board_view& v, const std::string& characters) {
  for (const char c : characters)
    v.press({kind::character, {c}});
}

std::vector<kind> kinds_of(std::string bytes) {
  std::vector<kind> kinds;
  while (!bytes.empty())
    kinds.push_back(take_key(bytes).what);
  return kinds;
}

} // namespace

TEST_CASE("keys are told apart however a terminal sends them") {
  CHECK(kinds_of("\x1b[A\x1bOA\x1b[B\x1bOB") == std::vector{kind::up, kind::up, kind::down, kind::down});
  CHECK(kinds_of("\x1b[5~\x1b[6~\x1b[H\x1b[4~") == std::vector{kind::page_up, kind::page_down, kind::home, kind::end});
  CHECK(kinds_of("\r\n\t\x7F") == std::vector{kind::enter, kind::enter, kind::tab, kind::backspace});
  CHECK(kinds_of("\x1b") == std::vector{kind::escape});
  CHECK(kinds_of("\x1b[1;5Cx\x1b[") == std::vector{kind::other, kind::character, kind::other});
  CHECK(kinds_of("\x01\xFF") == std::vector{kind::other, kind::other});
  std::string typed = "äq";
  CHECK(take_key(typed).text == "ä");
  CHECK(take_key(typed).is('q'));
}

TEST_CASE("a selection moves over all lists, and stays on its row when the next look has it elsewhere") {
  board_view v;
  CHECK(selected(v).empty());
  v.press({kind::down});
  v.show(two_lists());
  CHECK(selected(v) == "node-0");
  press(v, "k");
  CHECK(selected(v) == "node-0");
  press(v, "jj");
  CHECK(selected(v) == "task-0");
  v.press({kind::tab});
  CHECK(selected(v) == "node-0");
  v.press({kind::tab});
  CHECK(selected(v) == "task-0");
  v.press({kind::end});
  CHECK(selected(v) == "tasks"); // what is not shown
  v.press({kind::up});
  CHECK(selected(v) == "task-2");
  CHECK(v.selected()->commands == std::vector<std::vector<std::string>>{{"show", "task-2"}});
  auto next = two_lists();
  next.lists[0] = list_of("node", 1, 2);
  v.show(next);
  CHECK(selected(v) == "task-2");
  next.lists[1] = list_of("task", 0, 3);
  v.show(next);
  CHECK(selected(v) == "node-0");
}

TEST_CASE("the picture marks the selected row, is as high as the terminal, and scrolls to what is selected") {
  board_view v;
  v.show(two_lists());
  CHECK(v.picture(small)
        == "all is well\n2 nodes\n\n"
           "  node    state\n"
           "> node-0  Good\n"
           "  node-1  bad\n\n"
           "  task    state\n"
           "  task-0  Good\n"
           "  task-1  bad\n"
           "  task-2  Good\n"
           "  and 4 more tasks\n\n\n\n"
           "arrows move, Enter opens, / filters, ? keys, q leaves");
  auto low = small;
  low.height = 7;
  v.press({kind::end});
  CHECK(v.picture(low)
        == "all is well\n2 nodes\n"
           "  task-0  Good\n"
           "  task-1  bad\n"
           "  task-2  Good\n"
           "> and 4 more tasks\n"
           "arrows move, Enter opens, / filters, ? keys, q leaves");
  v.press({kind::home});
  CHECK_THAT(v.picture(low), Contains("nodes\n\n  node    state\n> node-0"));
  auto wordy = two_lists();
  wordy.lists[0].rows.add({"node-2", std::string(20, 'x') + " " + std::string(30, 'y') + " " + std::string(30, 'z')});
  wordy.lists[0].items.push_back({"node-2", {}});
  wordy.lists[0].shown = 3;
  v.show(wordy);
  CHECK_THAT(v.picture(small), Contains("  node-2  " + std::string(20, 'x') + " " + std::string(28, 'y') + "…\n\n"));
  auto narrow = small;
  narrow.width = 10;
  CHECK_THAT(v.picture(narrow), Contains("> node-0  \n"));
}

TEST_CASE("a filter looks at all rows, large and small letters alike, also at those that would not be shown") {
  board_view v;
  v.show(two_lists());
  press(v, "/");
  CHECK(v.is_typing());
  press(v, "TASK-x");
  CHECK_THAT(v.picture(small), Contains("/TASK-x_"));
  v.press({kind::backspace});
  press(v, "6");
  v.press({kind::enter});
  CHECK_FALSE(v.is_typing());
  CHECK(selected(v) == "task-6");
  CHECK_THAT(v.picture(small),
             Contains("  -\n") && Contains("> task-6  Good\n") && Contains("only `TASK-6`, Escape: all"));
  v.show(two_lists());
  CHECK(selected(v) == "task-6");
  v.press({kind::escape});
  CHECK_THAT(v.picture(small), Contains("node-0") && !Contains("only"));
  press(v, "/j");
  v.press({kind::escape});
  CHECK_FALSE(v.is_typing());
  CHECK_THAT(v.picture(small), Contains("node-0"));
}

TEST_CASE("a text is scrolled within its ends, its long lines go on below, and it stays where it was") {
  text_view v{"task t-1"};
  std::string text;
  for (int i = 1; i <= 20; ++i)
    text += "line " + std::to_string(i) + "\n";
  v.show(text);
  auto low = small;
  low.height = 5;
  CHECK(v.picture(low) == "line 1\nline 2\nline 3\nline 4\ntask t-1: 1 to 4 of 20");
  v.press({kind::page_down});
  v.press({kind::down});
  CHECK_THAT(v.picture(low), StartsWith("line 5\n"));
  v.show("now\n" + text);
  CHECK_THAT(v.picture(low), StartsWith("line 4\n"));
  v.press({kind::character, "G"});
  CHECK_THAT(v.picture(low), StartsWith("line 17\n") && Contains("18 to 21 of 21"));
  v.show("one\n" + std::string(70, 'x') + "\n");
  CHECK(v.picture(low)
        == "one\n" + std::string(60, 'x') + "\n" + std::string(10, 'x')
             + "\n\ntask t-1: 1 to 3 of 3   arrows scroll, Escape or q goes back");
}

TEST_CASE("a painted line is cut between its letters, and no part paints what follows it") {
  const terminal colours{true, true, 60, 16};
  const auto line = "ab" + painted("cdef", colour::bad, colours) + "日本";
  CHECK(folded(line, 4) == std::vector<std::string>{"ab\x1b[31mcd\x1b[0m", "ef\x1b[0m日\x1b[0m", "本"});
  CHECK(unpainted(line) == "abcdef日本");
  CHECK(folded("", 4) == std::vector<std::string>{""});
}
