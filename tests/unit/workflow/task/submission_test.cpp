#include "workflow/task/task.hpp"

#include <catch2/catch.hpp>

using namespace steadfast::workflow;
using namespace std::chrono_literals;
using texts = std::vector<std::string>;

namespace {

submission good() {
  submission s;
  s.id = "order/4711";
  s.workflow = "drone_delivery";
  s.payload = blob{"{}"};
  return s;
}

} // namespace

TEST_CASE("a submission within its bounds has no problems") {
  auto s = good();
  CHECK(problems(s, 2).empty());
  s.id = std::string(128, 'x');
  s.priority = 9;
  s.not_before = instant{1h};
  s.reply_to = "me";
  s.content_type = "text/plain; charset=utf-8";
  CHECK(problems(s, 2).empty());
}

TEST_CASE("each bound of a submission is named with its limit") {
  const auto problem = [](auto change) {
    auto s = good();
    change(s);
    const auto found = problems(s, 2);
    REQUIRE(found.size() == 1);
    return found[0];
  };
  const std::string id = "id must be 1 to 128 printable characters without spaces";
  CHECK(problem([](auto& s) { s.id.clear(); }) == id);
  CHECK(problem([](auto& s) { s.id = std::string(129, 'x'); }) == id);
  CHECK(problem([](auto& s) { s.id = "a b"; }) == id);
  CHECK(problem([](auto& s) { s.workflow = "a/b"; }) == "workflow must be 1 to 64 of the characters A-Z a-z 0-9 _ -");
  CHECK(problem([](auto& s) { s.payload = blob{"123"}; }) == "payload has 3 bytes, the limit is 2");
  CHECK(problem([](auto& s) { s.content_type = "a\r\nb"; }) == "content_type must be 1 to 128 printable characters");
  CHECK(problem([](auto& s) { s.priority = 10; }) == "priority must be at most 9");
  const std::string when = "not_before must lie between the years 1970 and 9999";
  CHECK(problem([](auto& s) { s.not_before = instant{-1ms}; }) == when);
  CHECK(problem([](auto& s) { s.not_before = instant_max + 1ms; }) == when);
  CHECK(problem([](auto& s) { s.reply_to = "a b"; })
        == "reply_to must be empty or 1 to 128 printable characters without spaces");
}

TEST_CASE("all problems of a submission are named at once") {
  submission s;
  s.content_type.clear();
  CHECK(problems(s, 0).size() == 3);
}
