// What is said of a write: by its kind, and the same after it was sent.

#include "tests/unit/store/support.hpp"

#include "store/records/record.hpp"

#include <catch2/catch.hpp>

#include <type_traits>
#include <variant>

using namespace std::chrono_literals;
using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

static_assert(std::is_same_v<result_of_t<submit_task>, submit_result>);
static_assert(std::is_same_v<result_of_t<renew_lease>, lease_result>);
static_assert(std::is_same_v<result_of_t<keep_late_reply>, no_result>);

TEST_CASE("an outcome says what its kind of write can say, and nothing else") {
  opened_store store;
  const auto all = store->commit({submit_task{order("a"), at(0)}, acquire_lease{"supervisor", "n1", {}, 10s, at(0)},
                                  release_lease{"supervisor", "n2", 1}, record_act{"ann", "looked", {}, at(1)}});
  CHECK(all[0].as<submit_result>().number == 1);
  CHECK_THROWS_AS(all[0].as<lease_result>(), std::bad_variant_access);
  CHECK(all[1].as<lease_result>().epoch == 1);
  CHECK_THROWS_AS(all[1].as<free_result>(), std::bad_variant_access);
  CHECK(all[2].result == write_status::stale_epoch);
  CHECK(all[2].as<lease_result>().epoch == 0); // it was not applied: the status says all
  CHECK(all[3].result == write_status::applied);
}

TEST_CASE("an outcome from another node says to whoever knows the write what it said there") {
  opened_store store;
  store.submit("a");
  store.submit("b");
  const auto sent = [](const outcome& o) { return decode<outcome>(encode(o)); };
  const auto all = store->commit({submit_task{order("c"), at(0)}, claim_tasks{"s1", 2, at(1)},
                                  acquire_lease{"supervisor", "n1", {}, 10s, at(0)}, free_locks{"s1", 1, false, at(2)},
                                  purge_ended{"delivery", {}, 10, {at(3), 7, 2}, at(4)}});
  CHECK(sent(all[0]).as<submit_result>().created);
  CHECK(sent(all[0]).as<submit_result>().number == 3);
  const auto& taken = all[1].as<claim_result>();
  CHECK(sent(all[1]).as<claim_result>().tasks == taken.tasks);
  CHECK(sent(all[1]).as<claim_result>().more);
  CHECK(sent(all[2]).to<acquire_lease>().epoch == 1);
  CHECK(sent(all[2]).to<acquire_lease>().result == write_status::applied);
  CHECK(sent(all[3]).as<free_result>().freed == 1);
  CHECK(sent(all[3]).as<free_result>().more);
  CHECK(sent(all[4]).as<purge_result>().reached.number == 7);
  for (const auto& o : all) // a node passes it on
    CHECK(encode(sent(o)) == encode(o));
}

TEST_CASE("row 136: a node without the store tells too that an event had come before") {
  const outcome told{{write_status::applied, {}}, event_result{7, 2, true, true, {}}};
  const auto e = decode<outcome>(encode(told)).as<event_result>();
  CHECK(e.number == 7);
  CHECK(e.taken == 2);
  CHECK(e.more);
  CHECK(e.again);
}
