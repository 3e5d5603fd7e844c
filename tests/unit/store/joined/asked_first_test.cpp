#include "store/joined/asked_first.hpp"

#include "tests/unit/store/samples.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace steadfast::store::test {

TEST_CASE("events and bulk acts are asked first, and no other writes, whose refusals are the same everywhere") {
  std::size_t asked = 0;
  for (const auto& w : {write{send_event{}}, write{start_bulk{}}, write{stop_bulk{}}, write{put_schedule{}},
                        write{register_definition{}}, write{submit_task{}}, write{claim_tasks{}}})
    asked += is_asked_first(w) ? 1 : 0;
  CHECK(asked == 2);
  CHECK(std::get<send_event>(as_question(send_event{})).is_question);
  CHECK(std::get<start_bulk>(as_question(start_bulk{})).is_question);
}

TEST_CASE("events wait for those with the same name and id, to a key or to a task, and bulk acts for each other") {
  const auto turn = [](const std::string& name, const std::string& id, const std::string& task = {}) {
    send_event w;
    w.name = name;
    w.id = id;
    w.task_id = task;
    return turn_of(w);
  };
  CHECK(turn("paid", "1") == turn("paid", "1", "a-task"));
  CHECK(turn("paid", "1") != turn("paid", "2"));
  CHECK(turn("paid", "1") != turn("sent", "1"));
  CHECK(turn("pay", "bulk") != turn_of(start_bulk{}));
  CHECK(turn("paid", "").empty());
  CHECK_FALSE(turn_of(start_bulk{}).empty());
  CHECK(turn_of(stop_bulk{}).empty());
  CHECK(turn_of(register_definition{}).empty());
}

} // namespace steadfast::store::test
