// Which tasks must be at hand before a batch is decided.

#include "tests/unit/store/support.hpp"

#include "store/verbs/tasks/needed_tasks.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

needed_tasks needed_of_all(const std::vector<store::write>& writes) {
  write_list all;
  for (const auto& w : writes)
    all.push_back(&w);
  return needed_of(all);
}

purge_ended purge_from(std::int64_t after, std::optional<std::uint64_t> keep_at_most, std::size_t max = 10) {
  purge_ended w{"delivery", {}, max, {}, at(100)};
  w.after.ended_at = at(after);
  w.keep.keep_at_most = keep_at_most;
  return w;
}

std::vector<ended_task> ended_each_second(std::int64_t count) {
  std::vector<ended_task> all;
  for (std::int64_t i = 0; i < count; ++i)
    all.push_back({at(i), static_cast<std::uint64_t>(i)});
  return all;
}

} // namespace

TEST_CASE("a batch needs the tasks whose ids and numbers it names") {
  update_task u;
  u.next.number = 5;
  const auto all = needed_of_all({submit_task{order("a"), at(0)}, u, keep_late_reply{6, {}},
                                  act_on_schedule{"hourly", schedule_act::run, "ann", "", at(3)}});
  CHECK(all.ids == std::vector<std::string>{"a", workflow::task_id_of("hourly", at(3))});
  CHECK(all.numbers == std::vector<std::uint64_t>{5, 6});
  CHECK(count_of(all) == 4);
  CHECK_FALSE(all.are_counted);
}

TEST_CASE("a batch that sets a task aside needs to know how many tasks there are") {
  const auto all = needed_of_all({set_aside_damaged{7, "damaged", at(1)}});
  CHECK(all.numbers == std::vector<std::uint64_t>{7});
  CHECK(all.are_counted);
}

TEST_CASE("purges are needed by workflow, and those of no workflow are not") {
  auto of_none = purge_from(0, 1);
  of_none.workflow = "no name";
  const std::vector<store::write> batch{purge_from(0, 1), purge_from(1, 2), of_none}; // which is looked at below
  const auto all = needed_of_all(batch);
  REQUIRE(all.purges.size() == 1);
  const auto& purges = all.purges.at("delivery");
  CHECK(purges.size() == 2);
  CHECK(first_place({purges[1], purges[0]}).ended_at == at(0));
  CHECK(looked_at_max(purges) == looked_at_max(*purges[0]) + looked_at_max(*purges[1]));
}

TEST_CASE("a purge looks at those that are too many or too old, and at the next one") {
  const auto left = ended_each_second(6);
  const auto too_many = purge_from(-1, 8);
  CHECK(looked_at_by({&too_many}, 10, left) == 3);
  CHECK(looked_at_by({&too_many}, 100, left) == 6); // there are no more
  CHECK(looked_at_by({&too_many}, 8, left) == 1);
  auto too_old = purge_from(-1, {});
  too_old.keep.keep_for = std::chrono::seconds{97};
  CHECK(looked_at_by({&too_old}, 10, left) == 5); // 0 to 3, and 4
  CHECK(looked_at_by({&too_many, &too_old}, 10, left) == 5);
  CHECK(looked_at_by({&too_old}, 10, {}) == 0);
}
