// Where each write to a store of several partitions goes, what is said of it, and what is left when a partition fails.

#include "store/contract/wrapped_store.hpp"
#include "store/joined/partition_files.hpp"
#include "store/records/record.hpp"
#include "tests/unit/store/joined/joined_support.hpp"
#include "tests/unit/store/samples.hpp"

#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

using partition_list = std::vector<std::uint32_t>;

partition_list partitions_of(opened_partitions& s, const store::write& w) {
  partition_list all;
  for (const auto& p : s->parts_of(w))
    all.push_back(p.partition);
  return all;
}

/// A partition whose disk fails at its commits, as it is told to.
class failing_partition : public wrapped_store {
public:
  explicit failing_partition(local_store& of) : of_{of} {}

  using state_store::commit;
  std::vector<outcome> commit(const write_list& batch) override {
    if (fails)
      throw store_error{"no more disk", is_fatal};
    return wrapped_store::commit(batch);
  }

  bool fails = false;
  bool is_fatal = false;

protected:
  local_store& real() const override { return of_; }

private:
  local_store& of_;
};

/// A store of three partitions, of which the one in the middle may fail.
struct with_failing_partition {
  opened_partitions real;
  std::shared_ptr<failing_partition> middle = std::make_shared<failing_partition>(real.partition(1));
  joined_store store{{std::make_shared<failing_partition>(real.partition(0)), middle,
                      std::make_shared<failing_partition>(real.partition(2))}};
};

start_bulk suspend_every_task(std::int64_t seconds) {
  start_bulk w;
  w.what.act = workflow::task_act::suspend;
  w.what.who = "ann";
  w.what.filter = encode(task_filter{});
  w.what.about = 3;
  w.now = at(seconds);
  return w;
}

} // namespace

TEST_CASE("a write about one task goes to its partition, and one about none to all") {
  opened_partitions s;
  const partition_list everywhere{0, 1, 2};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto id = opened_partitions::id_in(i);
    const partition_list here{i};
    const std::uint64_t its_number = 9 + i;
    CHECK(partitions_of(s, submit_task{order(id), at(0)}) == here);
    CHECK(partitions_of(s, submit_task{order(id + "/child/0"), at(0)}) == here);
    exported_task x;
    x.task.id = id;
    CHECK(partitions_of(s, import_task{x, {}, {}, {}}) == here);
    update_task u;
    u.next.number = its_number;
    CHECK(partitions_of(s, u) == here);
    CHECK(partitions_of(s, keep_late_reply{its_number, {}}) == here);
    CHECK(partitions_of(s, set_aside_damaged{its_number, {}, {}}) == here);
    CHECK(partitions_of(s, acknowledge_notices{"shop", its_number, 1}) == here);
    CHECK(partitions_of(s, acknowledge_alert{its_number, "ann", {}}) == here);
    CHECK(partitions_of(s, advance_bulk{its_number, 0, true, {}, 0, {}}) == here);
    CHECK(partitions_of(s, stop_bulk{its_number, "ann", {}, {}}) == here); // there is none
    act_on_incident a;
    a.number = its_number;
    CHECK(partitions_of(s, a) == here); // likewise
    workflow::schedule of;
    of.name = id;
    CHECK(partitions_of(s, put_schedule{of, {}, {}}) == here);
    CHECK(partitions_of(s, act_on_schedule{id, schedule_act::run, {}, {}, {}}) == here);
    CHECK(partitions_of(s, submit_task{order(workflow::task_id_of(id, at(0))), at(0)}) == here);
    send_event e;
    e.task_id = id;
    CHECK(partitions_of(s, e) == here);
    e.id = "evt-1";
    CHECK(partitions_of(s, e) == everywhere);
    for (const auto& part : s->parts_of(e))
      CHECK(std::get<send_event>(part.what).is_elsewhere == (part.partition != i));
  }
  send_event by_key;
  by_key.key = "o-1";
  CHECK(partitions_of(s, by_key) == everywhere);
  CHECK(partitions_of(s, record_act{"ann", "drained node `one`", {}, {}}) == partition_list{0});
  CHECK(partitions_of(s, register_definition{delivery()}) == everywhere);
  CHECK(partitions_of(s, acquire_lease{}) == everywhere);
  CHECK(partitions_of(s, renew_lease{}) == everywhere);
  CHECK(partitions_of(s, release_lease{}) == everywhere);
  CHECK(partitions_of(s, start_bulk{}) == everywhere);
  CHECK(partitions_of(s, purge_ended{}) == everywhere);
  CHECK(partitions_of(s, free_locks{}) == everywhere);
  CHECK(partitions_of(s, report_conditions{}) == everywhere);
  CHECK(partitions_of(s, fire_schedules{}) == everywhere);
  CHECK(partitions_of(s, claim_tasks{}) == everywhere);
}

TEST_CASE("a scheduler that claims from several partitions gets no more tasks than it asked for") {
  opened_partitions s;
  for (std::uint32_t i = 0; i < 3; ++i)
    for (int n = 0; n < 4; ++n)
      s.submit(opened_partitions::id_in(i, n));
  auto o = s.one(claim_tasks{"s1", 7, at(1)});
  CHECK(o.as<claim_result>().tasks.size() == 7);
  CHECK(o.as<claim_result>().more);
  o = s.one(claim_tasks{"s1", 20, at(1)});
  CHECK(o.as<claim_result>().tasks.size() == 5);
  CHECK_FALSE(o.as<claim_result>().more);
  CHECK(s.one(free_locks{"s1", 100, true, at(2)}).as<free_result>().freed == 12);
}

TEST_CASE("the writes of a batch take effect in their order, wherever each goes") {
  opened_partitions s;
  const auto a = opened_partitions::id_in(2);
  const auto b = opened_partitions::id_in(0);
  const auto outcomes =
    s->commit({submit_task{order(a), at(0)}, register_definition{delivery(2)}, submit_task{order(b), at(0)},
               submit_task{order(a), at(0)}, submit_task{order(b, "[1]"), at(0)}});
  REQUIRE(outcomes.size() == 5);
  CHECK(outcomes[0].as<submit_result>().created);
  CHECK(outcomes[0].as<submit_result>().number == 5);
  CHECK(outcomes[1].as<register_result>().created);
  CHECK(outcomes[2].as<submit_result>().created);
  CHECK(outcomes[2].as<submit_result>().number == 3);
  CHECK_FALSE(outcomes[3].as<submit_result>().created);
  CHECK(outcomes[4].result == write_status::refused);
  CHECK_FALSE(mentions(outcomes[4].why, "partition")); // it is about one task: it is as in a store of one
  CHECK(s->find(a)->version == 1);
  CHECK(s->find(b)->version == 2);
  CHECK(s->commit(std::vector<store::write>{}).empty());
}

TEST_CASE("what one partition refuses is refused as a whole, by its name if others took it") {
  opened_partitions s;
  auto other = delivery(7);
  other.steps.pop_back();
  REQUIRE(s.partition(1).commit({register_definition{other}}).at(0).result == write_status::applied);
  const auto o = s.one(register_definition{delivery(7)});
  CHECK(o.result == write_status::refused);
  CHECK(o.why.starts_with("in partition 1: "));
  CHECK(s.partition(2).find_definition("delivery", 7)->steps.size() == 2);
  CHECK(s->definitions({}, 1000).size() == 2); // each name and version once

  send_event nobody;
  nobody.name = "paid";
  nobody.data = "{}";
  nobody.now = at(0);
  const auto by_all = s.one(nobody);
  CHECK(by_all.result == write_status::refused);
  CHECK_FALSE(mentions(by_all.why, "partition"));
}

TEST_CASE("what the partition of its task says of an event is said, where the others only know that its id is new") {
  opened_partitions s;
  for (const auto* task : {"a", "b", "c", "d", "e", "f"}) {
    send_event w;
    w.task_id = task;
    w.id = "evt-1";
    const auto parts = s->parts_of(w);
    std::vector<outcome> said(parts.size(), outcome{decision{write_status::applied, {}}, event_result{}});
    event_result by_its_part;
    by_its_part.number = 7;
    by_its_part.taken = 1;
    by_its_part.again = true;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (acts(parts[i]))
        said[i] = {decision{write_status::applied, {}}, by_its_part};
    const auto whole = joined(parts, said).as<event_result>();
    CHECK(whole.number == 7);
    CHECK(whole.taken == 1);
    CHECK(whole.again);
    said[parts.size() - 1] = decision{write_status::refused, "it came before"};
    CHECK(joined(parts, said).why.ends_with("it came before"));
  }
}

TEST_CASE("a partition whose disk fails before any has committed fails the commit, and nothing was written") {
  with_failing_partition s;
  s.middle->fails = true;
  const auto here = opened_partitions::id_in(1);
  const auto later = opened_partitions::id_in(2);
  try {
    s.store.commit({submit_task{order(later), at(0)}, submit_task{order(here), at(0)}});
    FAIL("it was committed");
  } catch (const store_error& e) {
    CHECK_FALSE(e.is_fatal());
    CHECK(std::string{e.what()} == "in partition 1: no more disk");
  }
  CHECK(s.store.list({}, {}, 10).tasks.empty());
}

TEST_CASE("a partition whose disk fails after another has committed leaves an outcome that nobody knows") {
  with_failing_partition s;
  s.middle->fails = true;
  const auto w = store::write{register_definition{delivery(2)}};
  const auto first = store::write{submit_task{order(opened_partitions::id_in(0)), at(0)}};
  const auto here = store::write{submit_task{order(opened_partitions::id_in(1)), at(0)}};
  auto outcomes = s.store.commit({w, first, here});
  CHECK(outcomes.at(0).result == write_status::unknown_outcome);
  CHECK(outcomes[0].why == "in partition 1: no more disk");
  CHECK(outcomes[1].result == write_status::applied);
  CHECK(outcomes[2].result == write_status::unknown_outcome);
  s.middle->fails = false;
  outcomes = s.store.commit({w, first, here}); // the same again is safe
  CHECK(outcomes[0].as<register_result>().created);
  CHECK_FALSE(outcomes[1].as<submit_result>().created);
  CHECK(outcomes[2].as<submit_result>().created);

  s.middle->fails = s.middle->is_fatal = true;
  try {
    s.store.commit({w});
    FAIL("it was committed");
  } catch (const store_error& e) {
    CHECK(e.is_fatal());
  }
}

TEST_CASE("a lease that is told as one is released where its holder has it, and the supervisor's in its partition") {
  opened_partitions s;
  const workflow::span ttl{5000};
  const auto acquire = [&](std::uint32_t partition, const std::string& name, const std::string& holder) {
    const auto o = s.partition(partition).commit_one(acquire_lease{name, holder, "", ttl, at(1)});
    REQUIRE(o.result == write_status::applied);
    return o.epoch;
  };
  const auto is_held = [&](std::uint32_t partition, const std::string& name) {
    for (const auto& l : s.partition(partition).leases(workflow::clock_reading{at(2)}))
      if (l.name == name)
        return l.expires_at != workflow::unset;
    return false;
  };
  acquire(0, "node/one", "one");
  s.partition(0).commit({release_lease{"node/one", "one", 1}});
  acquire(0, "node/one", "one"); // under another epoch than in the others
  const auto epoch = acquire(1, "node/one", "one");
  acquire(1, "supervisor", "one:1");
  const auto supervisor = acquire(2, "supervisor", "one:1");
  CHECK(s.one(release_lease{"node/one", "one", epoch}).result == write_status::applied);
  CHECK_FALSE(is_held(0, "node/one"));
  CHECK_FALSE(is_held(1, "node/one"));
  CHECK(s.one(release_lease{"supervisor.partition-2", "one:1", supervisor}).result == write_status::applied);
  CHECK(is_held(1, "supervisor"));
  CHECK_FALSE(is_held(2, "supervisor"));
  CHECK(s.one(release_lease{"supervisor.partition-9", "one:1", 1}).result != write_status::applied);
}

TEST_CASE("a lease of all partitions has one epoch, and is held where all hold it") {
  opened_partitions s;
  const workflow::span ttl{5000};
  const auto o = s.one(acquire_lease{"node/one", "one", "", ttl, at(1)});
  REQUIRE(o.result == write_status::applied);
  const auto epoch = o.as<lease_result>().epoch;
  REQUIRE(s->leases(workflow::clock_reading{at(2)}).size() == 1);
  CHECK(s->leases(workflow::clock_reading{at(2)})[0].epoch == epoch);
  CHECK(s.one(renew_lease{"node/one", "one", epoch, ttl, at(3)}).result == write_status::applied);
  REQUIRE(s.partition(2).commit({release_lease{"node/one", "one", epoch}}).at(0).result == write_status::applied);
  CHECK(s->leases(workflow::clock_reading{at(4)})[0].expires_at == workflow::unset);
  const auto lost = s.one(renew_lease{"node/one", "one", epoch, ttl, at(4)});
  CHECK(lost.result != write_status::applied);
  CHECK(lost.why.starts_with("in partition 2: "));
}

TEST_CASE("an incident of several partitions is shown as one, and acted on in all of them") {
  opened_partitions s;
  fail_task(s, opened_partitions::id_in(2), 2);
  fail_task(s, opened_partitions::id_in(0), 3);
  fail_task(s, opened_partitions::id_in(0, 1), 4);
  const auto open = s->incidents(true, {}, 10).incidents;
  REQUIRE(open.size() == 1);
  CHECK(open[0].number == 3);
  CHECK(open[0].tasks == 3);
  CHECK(open[0].alerts == 3);
  CHECK(open[0].first_at == at(2));
  CHECK(open[0].last_at == at(4));
  CHECK(open[0].sample_task == opened_partitions::id_in(2));
  CHECK(s->find_incident(5)->number == 3); // as partition 2 knows it
  CHECK_FALSE(s->find_incident(4));
  alert_filter f;
  f.incident = 5;
  CHECK(s->find_alerts(f, {}, 10).alerts.size() == 3);

  act_on_incident a;
  a.number = 3;
  a.act = incident_act::acknowledge;
  a.who = "bob";
  a.now = at(9);
  CHECK(s.one(a).as<incident_result>().acknowledged == 3);
  const auto x = *s->find_incident(3);
  CHECK(x.acknowledged_by == "bob");
  CHECK(x.acts.size() == 1);
  CHECK(s->alerts(true, 10).empty());

  a.number = 4;
  CHECK(s.one(a).result == write_status::absent);
}

TEST_CASE("a condition of the cluster is told to all partitions and shown as one incident") {
  opened_partitions s;
  report_conditions w;
  w.hold = {{{"node", "", "", "", "node `two` is gone"}, "node `two` is gone; since noon"}};
  w.now = at(1);
  CHECK(s.one(w).as<conditions_result>().raised == 3);
  REQUIRE(s->incidents(true, {}, 10).incidents.size() == 1);
  CHECK(s->incidents(true, {}, 10).incidents[0].is_condition);
  w.hold.clear();
  CHECK(s.one(w).result == write_status::applied);
  CHECK(s->incidents(true, {}, 10).incidents.empty());
}

TEST_CASE("a bulk act is begun in all partitions, goes on in each, and is stopped where it is open") {
  opened_partitions s;
  for (std::uint32_t i = 0; i < 3; ++i)
    s.submit(opened_partitions::id_in(i));
  const auto begun = s.one(suspend_every_task(1));
  REQUIRE(begun.result == write_status::applied);
  CHECK(begun.as<bulk_result>().number == 3);
  REQUIRE(s->bulk_acts(true, {}, 10).acts.size() == 1);
  CHECK(s->bulk_acts(true, {}, 10).acts[0].about == 3);

  const auto page_of_it = [](std::uint64_t act, std::uint64_t task) {
    return advance_bulk{act, 0, true, {{task, "t", "it has ended"}}, 1, at(2)};
  };
  REQUIRE(s.one(page_of_it(4, 4)).result == write_status::applied);
  REQUIRE(s.one(page_of_it(5, 5)).result == write_status::applied);
  auto page = s->find_bulk_act(5);
  REQUIRE(page.acts.size() == 1);
  CHECK(page.acts[0].number == 3);
  CHECK(page.acts[0].refused == 2);
  CHECK(page.acts[0].skipped == 0);
  CHECK(workflow::is_open(page.acts[0]));
  REQUIRE(page.refusals.size() == 2);
  CHECK(page.refusals[0].task_number == 5);

  CHECK(s.one(stop_bulk{4, "bob", "wrong", at(3)}).result == write_status::applied);
  page = s->find_bulk_act(3);
  CHECK(page.acts[0].state == workflow::bulk_state::stopped);
  CHECK(page.acts[0].stopped_by == "bob");
  CHECK(s->bulk_acts(true, {}, 10).acts.empty());
  CHECK(s.one(stop_bulk{3, "bob", "wrong", at(4)}).result == write_status::refused);
  CHECK(s->find_bulk_act(7).acts.empty());
}

TEST_CASE("schedules of several partitions are served together, and ended tasks purged together") {
  opened_partitions s;
  for (const auto* const name : {"hourly-a", "hourly-b", "hourly-c", "hourly-d"}) {
    workflow::schedule x;
    x.name = name;
    x.workflow = "delivery";
    x.every = std::chrono::hours{1};
    REQUIRE(s.one(put_schedule{x, {}, at(0)}).as<schedule_result>().changed);
  }
  CHECK(s->schedules({}, 10).size() == 4);
  const auto fired = s.one(fire_schedules{100, {}, at(3000)});
  CHECK(fired.as<schedule_result>().made == 4);
  CHECK(fired.as<schedule_result>().next == at(2800 + 3600));
  CHECK(fired.tasks.size() == 4);
  const auto tasks = s->list({}, {}, 10).tasks;
  REQUIRE(tasks.size() == 4);
  for (const auto& t : tasks)
    REQUIRE(s.one(update_by(t, delivery(), workflow::cancelled{{"ann", "no"}}, at(3001))).result
            == write_status::applied);
  purge_ended w;
  w.workflow = "delivery";
  w.keep.keep_for = std::chrono::seconds{10};
  w.max = 100;
  w.now = at(4000);
  CHECK(s.one(w).as<purge_result>().purged == 4);
  CHECK(s->counts().tasks_purged == 4);
  CHECK(s->check().faults.empty());
}

TEST_CASE("a copy of a store has a folder for each of its partitions, which opens as that partition") {
  opened_partitions s;
  for (int i = 0; i < 20; ++i)
    s.submit("t" + std::to_string(i));
  const auto to = s.path() / "copy";
  s->copy(to);
  struct stat folder {};
  REQUIRE(stat(to.c_str(), &folder) == 0);
  CHECK((folder.st_mode & 0777) == 0700);
  auto o = s.options(0);
  o.path = to;
  o.partition = {};
  o.journal_name = fresh_journal_name();
  CHECK(partitions_at(to) == 3);
  joined_store copy{open_partitions(o)};
  CHECK(copy.list({}, {}, 100).tasks.size() == 20);
  CHECK(copy.check().faults.empty());
  CHECK(copy.commit_one(submit_task{order("t20"), at(0)}).created);
  CHECK_FALSE(copy.commit_one(submit_task{order("t7"), at(0)}).created);

  CHECK_THROWS_AS(s->copy(to), store_error); // it is there already, and stays
  CHECK(std::filesystem::exists(partition_folder(to, 2) / "data.mdb"));
}

TEST_CASE("a copy that fails in one partition leaves nothing") {
  opened_partitions s;
  struct no_copy : failing_partition {
    using failing_partition::failing_partition;
    void copy(const std::filesystem::path&) const override { throw store_error{"no more disk", false}; }
  };
  const joined_store store{
    {std::make_shared<failing_partition>(s.partition(0)), std::make_shared<no_copy>(s.partition(1))}};
  CHECK_THROWS_AS(store.copy(s.path() / "copy"), store_error);
  CHECK_FALSE(std::filesystem::exists(s.path() / "copy"));
}

TEST_CASE("a task goes from a store of three partitions to one of two, and is the same") {
  opened_partitions from;
  opened_partitions to{2};
  for (int i = 0; i < 6; ++i) {
    const auto id = "t" + std::to_string(i);
    from.submit(id);
    const auto x = from->export_task(id);
    REQUIRE(x);
    const auto o = to.one(import_task{*x, "ann", "moved", at(3)});
    REQUIRE(o.result == write_status::applied);
    const auto there = to->find(id);
    REQUIRE(there);
    CHECK(there->number == o.as<import_result>().number);
    CHECK(workflow::partition_of_number(there->number, 2) == workflow::partition_of(id, 2));
    CHECK(there->payload == from->find(id)->payload);
    CHECK_FALSE(to.submit(id).as<submit_result>().created);
  }
  CHECK(to->list({}, {}, 10).tasks.size() == 6);
  CHECK(to->check().faults.empty());
  CHECK_FALSE(from->export_task("t6"));
}

TEST_CASE("faults are told with the partition that has them, and figures of files together") {
  opened_partitions s;
  s.submit(opened_partitions::id_in(2));
  const auto path = s.options(2).path;
  const auto o = s->sizes();
  CHECK(o.bytes_max == 3 * s.options(0).size_max);
  CHECK(o.bytes_used > 0);
  CHECK(o.disk_size == s.partition(0).sizes().disk_size);

  struct damaged_partition : failing_partition {
    using failing_partition::failing_partition;
    check_report check() const override { return {1, 1, {"task 5: its checksum does not match"}}; }
    std::vector<set_aside_damaged> damaged() override { return {{5, "its checksum does not match", at(0)}}; }
  };
  joined_store store{
    {std::make_shared<failing_partition>(s.partition(0)), std::make_shared<damaged_partition>(s.partition(2))}};
  const auto found = store.check();
  CHECK(found.faults == std::vector<std::string>{"partition 1: task 5: its checksum does not match"});
  CHECK(found.tasks == 1);
  REQUIRE(store.damaged().size() == 1);
  CHECK(store.damaged()[0].number == 5);
}

TEST_CASE("partitions that share saves are durable without one, and are saved together") {
  opened_partitions s;
  s->share([] {});
  for (int i = 0; i < 9; ++i)
    s.submit("t" + std::to_string(i));
  s.reopen(); // as when the process is killed
  CHECK(s->list({}, {}, 100).tasks.size() == 9);
  s->share([] {});
  s.submit("t9");
  s->save();
  s->share({});
  CHECK(s->find("t9"));
  CHECK(s->check().faults.empty());
}
