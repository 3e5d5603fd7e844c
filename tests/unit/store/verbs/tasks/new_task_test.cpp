// What is stored of a task that is submitted, without a disk.

#include "tests/unit/store/support.hpp"

#include "store/verbs/tasks/new_task.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace std::chrono_literals;
using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

definition_cache::entry indexed_order() {
  auto d = std::make_shared<workflow::definition>();
  d->name = "order";
  d->steps.emplace_back();
  d->steps.back().name = d->steps.back().agent = "pay";
  d->steps.back().input = {{"sum", {workflow::source::kind::payload, "", "/sum", ""}}};
  d->index = {"/customer"};
  return d;
}

submit_task submission_of(const std::string& payload) {
  submit_task w;
  w.what.id = "a";
  w.what.workflow = "order";
  w.what.payload = workflow::blob{payload};
  w.what.reply_to = "shop";
  w.now = at(1);
  return w;
}

submitted_task submitted(const submit_task& w, bool has_room = true) {
  const auto d = indexed_order();
  const workflow::payload_needs needs{*d};
  return decide(w, {d, &needs}, 9, [=](std::uint64_t) { return has_room; });
}

} // namespace

TEST_CASE("deciding: a submission becomes a task with its number, outline, index and first notice") {
  const auto w = submission_of(R"({"sum": 3, "customer": "ann"})");
  const auto d = submitted(w);
  CHECK(d.said.result == write_status::applied);
  CHECK(d.said.created);
  CHECK(d.said.number == 9);
  REQUIRE(d.put);
  CHECK(d.put->task->number == 9);
  CHECK(d.put->task->revision == 1);
  CHECK(d.put->outline.revision == 1);
  CHECK(d.put->outline.payload_size == w.what.payload.size());
  CHECK(d.put->outline.placed().is_claimable);
  CHECK(d.put->index == std::vector<workflow::payload_value>{{"/customer", "ann"}});
  REQUIRE(d.put->notices.size() == 1);
  CHECK(d.put->notices[0].kind == workflow::notice_kind::accepted);
  auto of_nobody = w;
  of_nobody.what.reply_to.clear();
  CHECK(submitted(of_nobody).put.value().notices.empty());
}

TEST_CASE("deciding: a submission is refused for its workflow, then its payload, then for want of room") {
  auto w = submission_of("{}");
  const auto nothing = decide(w, {}, 9, [](std::uint64_t) { return true; });
  CHECK(nothing.said.result == write_status::absent);
  CHECK(nothing.said.why == "there is no workflow order");
  w.what.version = 4;
  CHECK(decide(w, {}, 9, [](std::uint64_t) { return true; }).said.why == "there is no workflow order version 4");
  const auto lacks = submitted(w, false);
  CHECK(lacks.said.result == write_status::refused);
  CHECK_FALSE(lacks.lacks_room); // which is asked last
  const auto full = submitted(submission_of(R"({"sum": 3})"), false);
  CHECK(full.lacks_room);
  CHECK_FALSE(full.put);
}

TEST_CASE("deciding: an id that was submitted before stands for its task, also when that was set aside") {
  const auto w = submission_of("{}");
  workflow::task t;
  t.number = 4;
  t.state = workflow::process_state::processed;
  const auto again = submitted_before(w, &t);
  CHECK(again.result == write_status::applied);
  CHECK_FALSE(again.created);
  CHECK(again.number == 4);
  CHECK(again.state == workflow::process_state::processed);
  CHECK(submitted_before(w, nullptr).result == write_status::refused);
}

TEST_CASE("deciding: new work is refused by the name of what is full, and people are told") {
  const store_options limits;
  const auto disk = no_room_for_work(limits, true, at(1));
  CHECK(disk.said.result == write_status::full);
  CHECK(disk.raised.what.kind == "disk_full");
  CHECK(no_room_for_work(limits, false, at(1)).raised.what.kind == "store_full");
}
