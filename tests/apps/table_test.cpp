#include "apps/terminal/table.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

using namespace steadfast::apps;

namespace {

terminal wide() {
  return {};
}

terminal narrow(std::size_t width) {
  terminal t;
  t.width = width;
  return t;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream in{text};
  std::size_t widest = 0;
  for (std::string line; std::getline(in, line);)
    widest = std::max(widest, columns_of(line));
  return widest;
}

} // namespace

TEST_CASE("columns are aligned, whatever letters are in them") {
  table t{{"name", "state", "why"}};
  t.add({"bücher", "ok", "x"});
  t.add({"a", "waiting", ""});
  CHECK(t.text(wide())
        == "name    state    why\n"
           "bücher  ok       x\n"
           "a       waiting\n");
}

TEST_CASE("wide letters take two columns, marks on letters none, and none is cut in two") {
  CHECK(columns_of("注文") == 4);
  CHECK(columns_of("e\u0301") == 1);
  CHECK(columns_of("🚚") == 2);
  CHECK(cut("注文番号", 5) == "注文…");
  CHECK(cut("注文番号", 4) == "注…");
  CHECK(cut("注文番号", 8) == "注文番号");
  table t{{"name", "state"}};
  t.add({"注文", "ok"});
  t.add({"abcd", "ok"});
  CHECK(t.text(wide())
        == "name  state\n"
           "注文  ok\n"
           "abcd  ok\n");
}

TEST_CASE("a table fits the terminal: the last column wraps, others are cut") {
  table t{{"id", "what happened"}};
  t.add({std::string(60, 'i'), "the service answered 503 and asked to come back later, so it waits for a while"});
  const auto text = t.text(narrow(60));
  CHECK(widest_line(text) <= 60);
  CHECK(text.find("…") != std::string::npos);
  CHECK(text.find("come back") != std::string::npos);
  CHECK(text.find("for a") != std::string::npos);
}

TEST_CASE("what others wrote cannot steer the terminal") {
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable("two\nlines\r\t") == "two\\x0alines\\x0d\\x09");
  CHECK(printable("\xc2\x9b"
                  "31m")
        == "\\xc2\\x9b31m");
  CHECK(printable("pay \u202e0001 \u2066x\u200f") == "pay \\xe2\\x80\\xae0001 \\xe2\\x81\\xa6x\\xe2\\x80\\x8f");
  CHECK(printable("bad \xff\xc3 end") == "bad ?? end");
  CHECK(printable("gut: äöü €") == "gut: äöü €");
  table t{{"a"}};
  t.add({"x\x1b]0;title\x07y"});
  CHECK(t.text(wide()).find('\x1b') == std::string::npos);
}

TEST_CASE("colours appear only where the terminal has them") {
  terminal colourful;
  colourful.has_colours = true;
  CHECK(painted("x", colour::bad, colourful) == "\x1b[31mx\x1b[0m");
  CHECK(painted("x", colour::bad, wide()) == "x");
}

TEST_CASE("cutting counts letters, not bytes") {
  CHECK(cut("äöüß", 4) == "äöüß");
  CHECK(cut("äöüß", 3) == "äö…");
  CHECK(cut("abc", 0) == "");
}

TEST_CASE("words are kept together when a text is wrapped, and too long ones are broken") {
  CHECK(wrapped("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapped("abcdefgh", 3) == std::vector<std::string>{"abc", "def", "gh"});
  CHECK(wrapped("", 10) == std::vector<std::string>{""});
}
