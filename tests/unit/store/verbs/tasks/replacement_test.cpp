// What becomes of a submission whose id is taken, without a disk.

#include "tests/unit/store/support.hpp"

#include "store/verbs/tasks/decide_task.hpp"
#include "store/verbs/tasks/replacement.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

using namespace std::chrono_literals;
using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

submit_task in_place(const std::string& payload, std::int64_t seconds = 5) {
  submit_task w{order("a", payload), at(seconds)};
  w.what.conflict = workflow::on_conflict::replace;
  return w;
}

workflow::task not_begun(const std::string& payload = "{}") {
  auto t = workflow::make_task(order("a", payload), delivery(), at(0));
  t.number = 3;
  t.revision = 1;
  return t;
}

workflow::task taken_once() {
  return workflow::apply(not_begun(), delivery(), workflow::taken{"s1"}, at(1)).next;
}

replacement replaced(const submit_task& w, const workflow::task& there) {
  const auto d = std::make_shared<const workflow::definition>(delivery());
  const workflow::payload_needs needs{*d};
  return decide_replacement(w, there, {d, &needs});
}

} // namespace

TEST_CASE("deciding: a submission takes the place of a task of the same workflow that has not begun") {
  const auto r = replaced(in_place(R"({"n":2})"), not_begun());
  CHECK(r.said.why == "replaced");
  CHECK(r.said.number == 3);
  REQUIRE(r.next);
  CHECK(r.next->payload.view() == R"({"n":2})");
  CHECK(r.next->submitted_at == at(0));
  CHECK(r.next->acts.size() == 1);
  CHECK(was_replaced(*r.next));
  CHECK(replaced(in_place(R"({"n":3})"), *r.next).next.value().acts.size() == 1); // one line of the story
}

TEST_CASE("deciding: what says the same changes nothing, and what has begun is not replaced") {
  CHECK_FALSE(replaced(in_place("{ }"), not_begun()).next);
  const auto begun = taken_once();
  REQUIRE(has_begun(begun));
  CHECK_FALSE(has_begun(not_begun()));
  CHECK(replaced(in_place("{}"), begun).said.result == write_status::applied);
  const auto refused = replaced(in_place(R"({"n":2})"), begun);
  CHECK(refused.said.result == write_status::refused);
  CHECK_THAT(refused.said.why, Catch::Contains("a task that has begun cannot be replaced"));
  CHECK_FALSE(refused.next);
}

TEST_CASE("deciding: a task of another workflow, and one that another task has started, is not replaced") {
  auto other = in_place(R"({"n":2})");
  other.what.version = 2;
  CHECK_THAT(replaced(other, not_begun()).said.why, Catch::Contains("only be replaced by one of the same"));
  auto child = not_begun();
  child.parent.change() = {"p", 1, 0, 1, 0, 0};
  CHECK_THAT(replaced(in_place(R"({"n":2})"), child).said.why, Catch::Contains("started by a step of another task"));
}

TEST_CASE("deciding: each debounced submission puts the beginning off, up to a bound") {
  auto w = in_place(R"({"n":2})", 3);
  w.what.debounce = 5s;
  CHECK(replaced(w, not_begun()).next.value().not_before == at(8));
  w.now = at(5 * workflow::debounces_max - 1);
  CHECK(replaced(w, not_begun()).next.value().not_before == at(5 * workflow::debounces_max));
}

TEST_CASE("deciding: an id that is taken is refused where the submission says so") {
  auto w = in_place("{}");
  CHECK_FALSE(refused_as_there(w));
  w.what.conflict = workflow::on_conflict::refuse;
  CHECK(refused_as_there(w).value().why == "there is a task `a` already");
}

TEST_CASE("deciding: a submission that comes again is that task, also if it took the place of another") {
  const submit_task w{order("a", R"({"n":2})"), at(5)};
  const decision conflict{write_status::refused, "key_conflict"};
  const auto there = not_begun(R"({"n":2})");
  CHECK(submitted_again(w, std::nullopt, &there).number == 3);
  CHECK(submitted_again(w, conflict, &there).why == "key_conflict"); // the content was made by an edit
  const auto replaced_by_it = replaced(in_place(R"({"n":2})"), not_begun()).next.value();
  CHECK(submitted_again(w, conflict, &replaced_by_it).result == write_status::applied);
  const auto by_another = replaced(in_place(R"({"n":4})"), not_begun()).next.value();
  CHECK(submitted_again(w, conflict, &by_another).why == "key_conflict");
  CHECK_FALSE(says_the_same(w, by_another));
  CHECK(submitted_again(w, conflict, nullptr).why == "key_conflict");
  CHECK_THAT(submitted_again(w, std::nullopt, nullptr).why, Catch::Contains("was set aside"));
}
