// The bytes of each format, as first written. If one of these tests fails, stores in the field can no longer be read:
// add a format instead of changing one (docs/storage-format.md). STEADFAST_WRITE_GOLDEN=1 writes the files that are
// missing. The records that later formats brought are among those of format 1, whose bodies are written as they were;
// formats 3 and 5 brought other bodies for tasks, format 4 the journal, format 6 another one, other bodies for
// definitions, and incidents, format 8 rows for the steps of tasks that have many, format 9 traces of tasks, format
// 10 steps that wait.

#include "tests/unit/store/samples.hpp"
#include "tests/unit/store/support.hpp"

#include "store/lmdb/schema.hpp"
#include "store/records/frame.hpp"
#include "store/records/record.hpp"

#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
namespace fs = std::filesystem;

namespace {

const fs::path all_golden = fs::path{STEADFAST_SOURCE_DIR} / "tests" / "golden";
const fs::path format_1 = all_golden / "format-1";
const fs::path format_6 = all_golden / "format-6";
const fs::path format_7 = all_golden / "format-7";
constexpr const char* key_of_all = "the key";

bool may_write() {
  return std::getenv("STEADFAST_WRITE_GOLDEN") != nullptr;
}

std::string golden_bytes(const std::string& name, const std::string& now, const fs::path& golden = format_1) {
  const auto path = golden / (name + ".record");
  if (!fs::exists(path) && may_write())
    std::ofstream{path, std::ios::binary} << now;
  std::ifstream file{path, std::ios::binary};
  REQUIRE(file);
  return {std::istreambuf_iterator<char>{file}, {}};
}

template <class T>
void check_stored(const std::string& name, const T& value, const fs::path& golden = format_1) {
  INFO(name);
  const std::string now{encode_record(key_of_all, value)};
  const auto then = golden_bytes(name, now, golden);
  CHECK(now == then);
  CHECK(std::string{encode_record(key_of_all, decode_record<T>(key_of_all, then))} == then);
}

template <class T>
void check_sent(const std::string& name, const T& value, const fs::path& golden = format_1) {
  INFO(name);
  const auto now = encode(value);
  const auto then = golden_bytes(name, now, golden);
  CHECK(now == then);
  CHECK(encode(decode<T>(then)) == then);
}

/// A store in which every table has something.
void fill(state_store& store) {
  store.commit({register_definition{delivery()}});
  const auto submit = [](const std::string& id, const std::string& payload, workflow::instant not_before) {
    auto s = order(id, payload);
    s.reply_to = "shop";
    s.not_before = not_before;
    return submit_task{s, at(0)};
  };
  store.commit({submit("done", "{}", {}), submit("large", std::string(6000, 'p'), {}), submit("waiting", "{}", {}),
                submit("delayed", "", at(1000))});
  store.commit({claim_tasks{"s1", 2, at(1)}, acquire_lease{"supervisor", "n1", "note", workflow::span{1000}, at(1)}});
  store.commit({success_of(*store.find("done"), 0), success_of(*store.find("large"), 0, std::string(3000, 'r'))});
  auto last = success_of(*store.find("done"), 1, "{}", 3);
  last.alerts = {{"waiting", "first", "drone", at(3)}, {"error", "second", "drone", at(3)}};
  store.commit(
    {last, keep_late_reply{1, {"drone", 1, 1, "attempt_failed", "late", at(4)}}, acknowledge_alert{1, "ann", at(5)}});
}

/// A task of twenty steps, of which nine are done.
void fill_with_many_steps(state_store& store) {
  workflow::definition d;
  d.name = "delivery";
  d.version = 1;
  for (int i = 0; i < 20; ++i)
    d.steps.push_back(step_named("s" + std::to_string(i)));
  store.commit({register_definition{d}});
  store.commit({submit_task{order("long"), at(0)}});
  store.commit({claim_tasks{"s1", 1, at(1)}});
  for (std::size_t i = 0; i < 9; ++i) {
    const auto t = *store.find("long");
    workflow::attempt_succeeded e;
    e.ref = {i, t.steps[i].attempt, t.lock_epoch};
    e.result = workflow::blob{std::string(40 * i, 'r')};
    store.commit({update_by(t, d, e, at(2))});
  }
}

using wait_kind = workflow::wait_rule::kind;

workflow::step_definition sleeping_step(const std::string& name, wait_kind what) {
  workflow::step_definition s;
  s.name = name;
  s.wait.emplace();
  s.wait->what = what;
  if (what == wait_kind::sleep)
    s.wait->length = workflow::span{7'200'000};
  else
    s.wait->at.pointer = "/when";
  if (what == wait_kind::next) {
    s.wait->on = workflow::weekdays::friday;
    s.wait->time_of_day = workflow::span{28'800'000};
  }
  return s;
}

void fill_with_sleepers(state_store& store) {
  workflow::definition d;
  d.name = "delivery";
  d.steps = {sleeping_step("nap", wait_kind::sleep)};
  store.commit({register_definition{d}});
  store.commit({submit_task{order("asleep"), at(0)}});
  store.commit({claim_tasks{"s1", 1, at(1)}});
}

/// A task that waits for an event, one that has taken one, one that asks a person, and one that ends later.
void fill_with_waits(state_store& store) {
  auto event = sleeping_step("event", wait_kind::sleep);
  event.wait->what = wait_kind::event;
  event.wait->name = "paid";
  event.wait->at.pointer = "/order";
  auto person = sleeping_step("person", wait_kind::sleep);
  person.wait->what = wait_kind::person;
  person.wait->name = "sales";
  person.wait->question = "Is it right?";
  person.wait->choices = {"yes", "no"};
  person.wait->remind_every = workflow::span{3'600'000};
  auto later = delivery().steps[0];
  later.later = workflow::later_rule{workflow::span{60'000}, workflow::span{1'000}};
  workflow::definition d;
  d.name = "delivery";
  d.steps = {event, person, later};
  d.steps[2].after = {"event"};
  store.commit({register_definition{d}});
  for (const std::string id : {"waits", "took"})
    store.commit({submit_task{order(id, "{\"order\":\"" + id + "\"}"), at(0)}});
  store.commit({claim_tasks{"s1", 2, at(1)}});
  send_event w;
  w.name = "paid";
  w.key = "took";
  w.data = "{\"euros\":20}";
  w.who = "bank";
  w.now = at(2);
  store.commit({w});
  const auto claimed = store.commit({claim_tasks{"s1", 2, at(3)}}).at(0).as<claim_result>().tasks;
  const auto& t = claimed.at(0);
  const workflow::attempt_ref attempt{2, 1, t.lock_epoch};
  store.commit({update_by(t, d, workflow::attempt_taken_on{attempt, std::string(64, 'a')}, at(4))});
}

/// One that made a task and waits for its end, and one that is paused.
void fill_with_schedules(state_store& store) {
  store.commit({register_definition{delivery()}});
  workflow::schedule hourly;
  hourly.name = "hourly";
  hourly.workflow = "delivery";
  hourly.payload = workflow::blob{R"({"region":"south"})"};
  hourly.moment_as = "hour";
  hourly.priority = std::uint8_t{7};
  hourly.every = std::chrono::hours{1};
  hourly.rule = workflow::overlap::queue;
  hourly.catch_up = std::chrono::minutes{90};
  hourly.catch_up_max = 2;
  workflow::schedule weekly;
  weekly.name = "weekly";
  weekly.workflow = "delivery";
  weekly.version = 1;
  weekly.cron = "30 2 * * sun";
  weekly.zone = "Europe/Lisbon";
  weekly.jitter = std::chrono::minutes{5};
  store.commit({put_schedule{hourly, "hourly.toml", at(0)}});
  store.commit({put_schedule{weekly, {}, at(0)}});
  store.commit({act_on_schedule{"weekly", schedule_act::pause, "ann", "stocktaking", at(1)}});
  for (const auto hour : {0, 1})
    store.commit({fire_schedules{10, {}, at(2800 + hour * 3600)}});
}

/// The task `trip` is undone after its child was processed, and waits for the undo of that.
void fill_with_children(state_store& store) {
  workflow::definition d;
  d.name = "trip";
  d.steps = {sleeping_step("inside", wait_kind::sleep), delivery().steps[0]};
  d.steps[0].wait->what = wait_kind::child;
  d.steps[0].wait->name = "delivery";
  d.steps[0].wait->at.pointer = "/inside";
  store.commit({register_definition{d}, register_definition{delivery()}});
  auto trip = order("trip", "{\"inside\":{\"n\":1}}");
  trip.workflow = "trip";
  store.commit({submit_task{trip, at(0)}});
  store.commit({claim_tasks{"s1", 2, at(1)}});
  store.commit({claim_tasks{"s1", 2, at(2)}});
  store.commit({success_of(*store.find("trip/inside"), 0)});
  store.commit({success_of(*store.find("trip/inside"), 1)});
  store.commit({claim_tasks{"s1", 2, at(3)}});
  const auto t = *store.find("trip");
  store.commit({update_by(t, d, workflow::attempt_failed{{1, 1, t.lock_epoch}, true, false, {}, "no"}, at(4))});
}

/// Of one key `begun` is under way and two wait; of another one `ready` has a place, and `later` waits for its time.
void fill_with_limits(state_store& store) {
  auto d = delivery();
  d.limit = workflow::limit_rule{"/customer", 1};
  store.commit({register_definition{d}});
  for (const std::string id : {"begun", "second", "third"})
    store.commit({submit_task{order(id, R"({"customer":"ada"})"), at(0)}});
  store.commit({claim_tasks{"s1", 2, at(1)}});
  store.commit({submit_task{order("ready", R"({"customer":7})"), at(2)}});
  auto later = order("later", R"({"customer":7})");
  later.not_before = at(50);
  store.commit({submit_task{later, at(2)}});
}

/// An event with an id; of two tasks the first has ended, and keeps its place.
void fill_with_kept_places(state_store& store) {
  workflow::definition d;
  d.name = "delivery";
  d.steps = {sleeping_step("payment", wait_kind::sleep)};
  d.steps[0].wait->what = wait_kind::event;
  d.steps[0].wait->name = "paid";
  d.steps[0].wait->at.pointer = "/order";
  d.limit = workflow::limit_rule{"/customer", 1, std::chrono::minutes{1}};
  store.commit({register_definition{d}});
  for (const std::string id : {"ended", "second"})
    store.commit({submit_task{order(id, R"({"customer":"ada","order":"o-1"})"), at(0)}});
  send_event w;
  w.name = "paid";
  w.key = "o-1";
  w.id = "evt-1";
  w.data = "1";
  w.now = at(1);
  store.commit({w});
  store.commit({claim_tasks{"s1", 2, at(2)}});
  store.commit({claim_tasks{"s1", 2, at(3)}});
}

/// The task `parcels` goes over three items: one is done, one at work, one to be started.
void fill_with_items(state_store& store) {
  workflow::definition d;
  d.name = "parcels";
  d.steps = {delivery().steps[0]};
  auto& s = d.steps[0];
  s.input = {{"number", {workflow::source::kind::item, {}, "/n", {}}}};
  s.wait.emplace();
  s.wait->what = wait_kind::items;
  s.wait->at.pointer = "/items";
  s.wait->at_a_time = 1;
  s.wait->may_fail = 40;
  s.wait->may_fail_is_percentage = true;
  store.commit({register_definition{d}});
  auto parcels = order("parcels", R"({"items":[{"n":1},{"n":2},{"n":3}]})");
  parcels.workflow = "parcels";
  store.commit({submit_task{parcels, at(0)}});
  for (const auto seconds : {1, 2})
    store.commit({claim_tasks{"s1", 2, at(seconds)}});
  const auto first = *store.find(workflow::child_id(*store.find("parcels"), d, 0, 1));
  const auto of_item = *store.find_definition(first.workflow, first.version);
  const workflow::attempt_ref ref{0, 1, first.lock_epoch};
  store.commit({update_by(first, of_item, workflow::attempt_succeeded{ref, workflow::blob{"7"}, {}}, at(3))});
}

/// The files of a store that was filled by the program of that format, in a directory where it can be opened. Since
/// format 4 all that it was filled with is in the journal.
void lay_down(const fs::path& written, const fs::path& directory, void (*fill_it)(state_store&) = fill) {
  if (!fs::exists(written) && may_write()) {
    temporary_directory made;
    auto options = small_options(made.store());
    options.journal_max = 16 << 10;
    {
      lmdb_engine engine{options};
      engine.share([] {});
      fill_it(engine);
    }
    fs::create_directories(written);
    for (const char* file : {"data.mdb", "journal"})
      fs::copy_file(made.store() / file, written / file);
  }
  REQUIRE(fs::exists(written / "data.mdb"));
  fs::create_directory(directory);
  chmod(directory.c_str(), 0700);
  for (const auto& file : fs::directory_iterator{written}) {
    fs::copy_file(file, directory / file.path().filename());
    chmod((directory / file.path().filename()).c_str(), 0600);
  }
}

/// What a store that was filled just now says, it says too.
void check_same_as_now(const state_store& old) {
  temporary_directory other;
  lmdb_engine made_now{small_options(other.store())};
  fill(made_now);
  CHECK(old.check().faults == std::vector<std::string>{});
  for (const char* id : {"done", "large", "waiting", "delayed"}) {
    REQUIRE(old.find(id));
    CHECK(old.find(id) == made_now.find(id));
  }
  CHECK(old.definitions({}, 1000) == made_now.definitions({}, 1000));
  CHECK(encode(old.leases({workflow::never})) == encode(made_now.leases({workflow::never})));
  CHECK(encode(old.alerts(false, 10)) == encode(made_now.alerts(false, 10)));
  CHECK(encode(old.notices("shop", 0, 0, 100)) == encode(made_now.notices("shop", 0, 0, 100)));
  CHECK(encode(old.late_replies({}, 10)) == encode(made_now.late_replies({}, 10)));
}

/// Before format 6 payloads were compared byte by byte: what was submitted then can be submitted again.
void check_knows_submissions(state_store& old) {
  auto again = order("done", "{}");
  again.reply_to = "shop";
  auto large = order("large", std::string(6000, 'p'));
  const auto o = old.commit({submit_task{again, at(6)}, submit_task{large, at(6)}});
  for (const auto& x : o) {
    CHECK(x.result == write_status::applied);
    CHECK_FALSE(x.as<submit_result>().created);
  }
  CHECK(old.commit({submit_task{order("done", "[]"), at(6)}})[0].result == write_status::refused);
}

/// It goes on with what was there, down to the end of a task.
void check_can_be_worked_on(state_store& old) {
  const auto o = old.commit({success_of(*old.find("large"), 1), claim_tasks{"s2", 10, at(2000)},
                             acknowledge_alert{2, "ann", at(5)}, acknowledge_notices{"shop", 1, 100}});
  CHECK(o[0].result == write_status::applied);
  CHECK(o[1].as<claim_result>().tasks.size() == 2);
  const auto left = old.commit({purge_ended{"delivery", {{}, 0}, 10, {}, at(2001)}})[0];
  CHECK(left.as<purge_result>().purged == 1); // the other has notices that nobody saw
  CHECK(left.as<purge_result>().reached.passed == 1);
  CHECK_FALSE(old.find("done"));
  CHECK(old.find("large"));
  CHECK(old.alerts(false, 10).empty());
  CHECK(old.check().faults == std::vector<std::string>{});
}

} // namespace

TEST_CASE("row 70: every stored record is written as in format 1 and read back") {
  check_stored("format", format_record{1});
  check_stored("counters", sample_counters());
  check_stored("task_ref", task_ref{0x0102030405060708, {0x1112131415161718, 0x2122232425262728}});
  check_stored("recent_id", recent_id{"order-4711", {0x1112131415161718, 0x2122232425262728}});
  check_stored("payload", payload_record{workflow::blob{R"({"to":"Oslo"})"}});
  check_stored("result", result_record{workflow::blob{std::string(300, 'r')}});
  check_stored("lease", lease_record{sample_lease(), workflow::span{5000}});
  check_stored("alert", sample_alert_entry());
  check_stored("notice", notice_record{"order-4711", sample_notice()});
  check_stored("late_reply", late_reply_record{"order-4711", sample_late_reply()});
  check_stored("journal_used", journal_used{0x0102030405060708, true});
  check_stored("journal_head", journal_head{0x0102030405060708, 8 << 20});
  check_stored("ended_count", ended_count{8, 9, 10});
  check_stored("set_aside", set_aside_record{"its checksum does not match", moment(50), workflow::blob{"as found"}});
}

TEST_CASE("row 70: a definition is written as in format 6, and with an index as in format 7, and read as in all") {
  check_stored("definition", sample_definition(), format_6);
  auto indexed = sample_definition();
  indexed.index = {"/customer", "/region"};
  check_stored("definition", indexed, format_7);
  check_sent("exported_task", sample_export(), format_6);

  const auto old = decode_record<workflow::definition>(key_of_all, golden_bytes("definition", {}));
  CHECK(old == as_of_format_1(sample_definition()));
  const auto taken_out = decode<exported_task>(golden_bytes("exported_task", {}));
  CHECK(taken_out.definition == as_of_format_1(sample_definition()));
  CHECK(taken_out.task == sample_task());
  CHECK(taken_out.late_replies == sample_export().late_replies);
}

TEST_CASE("row 70: an incident is written as in format 6 and read back") {
  check_stored("incident", sample_incident(), format_6);
}

TEST_CASE("row 70: how the tasks of a workflow end is written as in format 7 and read back") {
  check_stored("endings", workflow::endings{300, 12'000'000, {0x0102030405060708, 1, 2, 3}}, format_7);
}

TEST_CASE("row 70: a bulk act is written as in format 7 and read back") {
  check_stored("bulk_act", sample_bulk_act(), format_7);
  check_stored("bulk_refusal", sample_bulk_refusal(), format_7);
}

TEST_CASE("row 70: the worked example of docs/storage-format.md is what is written") {
  const std::string_view example{"\x6a\xaa\xa6\x34\x6c\x45\x78\xca\x01\x00\x08\x00\x30\x00\x00\x00"
                                 "\x0a\x00\x00\x00supervisor\x02\x00\x00\x00n1\x00\x00\x00\x00"
                                 "\x01\x00\x00\x00\x00\x00\x00\x00\x10\x8f\xe5\xcf\x8b\x01\x00\x00"
                                 "\x10\x27\x00\x00\x00\x00\x00\x00",
                                 64};
  const lease_record first{{"supervisor", "n1", "", 1, at(10)}, workflow::span{10'000}};
  CHECK(encode_record("supervisor", first) == example);
}

TEST_CASE("the page on the storage format is about the format that is written") {
  std::ifstream document{fs::path{STEADFAST_SOURCE_DIR} / "docs" / "storage-format.md"};
  std::string title;
  REQUIRE(std::getline(document, title));
  CHECK(title == "# What is on disk: storage format " + std::to_string(store_format));
}

TEST_CASE("row 70: a task's state record is written as in format 5, and read as in formats 1, 3 and 5") {
  auto t = sample_task();
  t.steps.change(1).result = workflow::blob{std::string(300, 'r')};
  const std::vector<large_result> large{{1, 300, hash_of(t.steps[1].result.view())}};
  const std::string now{encode_record(key_of_all, task_state_view{&t, 35, t.payload.size(), &large})};
  const auto then = golden_bytes("task_state", now, all_golden / "format-5");
  CHECK(now == then);

  t.revision = 35;
  t.payload = {};
  t.steps.change(1).result = {};
  for (const std::string format : {"format-1", "format-3", "format-5"}) {
    INFO(format);
    const auto bytes = golden_bytes("task_state", {}, all_golden / format);
    const auto read = decode_record<task_state>(key_of_all, bytes);
    CHECK(read.task == t);
    CHECK(read.payload_size == sample_task().payload.size());
    CHECK(read.large == large);
  }
}

TEST_CASE("row 70: a task that is part of a trace is written as in format 9, and sent so that nothing of it is lost") {
  auto t = sample_task();
  t.trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const std::vector<large_result> large;
  const std::string now{encode_record(key_of_all, task_state_view{&t, t.revision, t.payload.size(), &large})};
  const auto then = golden_bytes("traced_task_state", now, all_golden / "format-9");
  CHECK(now == then);
  auto read = decode_record<task_state>(key_of_all, then).task;
  read.payload = t.payload;
  CHECK(read == t);

  CHECK(decode<workflow::task>(encode(t)) == t);
  auto s = sample_submission();
  s.trace = t.trace;
  CHECK(decode<workflow::submission>(encode(s)) == s);
  const outcome claimed{decision{write_status::applied, {}}, claim_result{{t, sample_task()}, moment(1), true}};
  const auto taken = decode<outcome>(encode(claimed)).as<claim_result>();
  CHECK(taken.tasks == std::vector{t, sample_task()});
  CHECK(taken.next == moment(1));
  CHECK(taken.more);
}

TEST_CASE(
  "row 70: the steps of a task that has many are written as in format 8, and so is what its record says of them") {
  const auto t = sample_task();
  auto steps = t.steps.stretch_of(0);
  const std::vector<large_result> large{{1, 300, hash_of("r")}};
  check_stored("task_steps", task_steps{moment(1), steps, large}, all_golden / "format-8");
  steps.change(1).result = workflow::blob{std::string(300, 'r')}; // which is passed over
  const auto seen = golden_bytes("task_steps", {}, all_golden / "format-8");
  auto without = steps;
  without.change(1).result = {};
  workflow::step_list whole;
  for (const auto& s : steps)
    whole.push_back(s);
  CHECK(encode_record(key_of_all, task_steps_view{moment(1), &whole, 0, large})
        == std::string{encode_record(key_of_all, task_steps{moment(1), without, large})});
  CHECK(decode_record<task_steps>(key_of_all, seen).steps == t.steps.stretch_of(0));

  const std::string now{encode_record(key_of_all, task_state_view{&t, 35, t.payload.size(), &large, {20, 0x0102}})};
  const auto then = golden_bytes("task_with_rows", now, all_golden / "format-8");
  CHECK(now == then);
  const auto read = decode_record<task_state>(key_of_all, then);
  CHECK(read.task.steps.empty());
  CHECK(read.large.empty());
  CHECK(read.rows == step_rows{20, 0x0102});
}

TEST_CASE("what processes of one version send each other is written as it was") {
  check_sent("task", sample_task());
  check_sent("submission", sample_submission());
  check_sent("attempt", workflow::attempt_ref{1, 2, 3});
  check_sent("fact", workflow::fact{"/parcel", "7"});
  check_sent("bare_notice", sample_notice());
  check_sent("bare_alert", sample_alert());
  check_sent("bare_late_reply", sample_late_reply());
  check_sent("bare_lease", sample_lease());
  check_sent("explanation", workflow::explanation{"waits at", moment(60)});
  check_sent("write_list", sample_writes(), format_7);
  check_sent("outcome", sample_outcome());
  check_sent("task_filter", sample_filter(), format_7);
  check_sent("task_page", task_page{{sample_task()}, 5, "key"}, format_7);
  check_sent("due_page", state_store::due_page{{sample_task()}, std::pair{moment(61), std::uint64_t{5}}});
  check_sent("store_stats",
             store_stats{{{{workflow::process_state::error, 5}}, 1, 2, 6, 7, {{"delivery", {}}}}, {3, 4, 5, 8, 9, 10}},
             format_7);
  check_sent("check_report", check_report{1, 2, {"a fault"}});
  check_sent("notice_entry", notice_entry{"shop", 5, "order-4711", sample_notice()});
  check_sent("late_reply_entry", late_reply_entry{5, "order-4711", sample_late_reply()});
}

TEST_CASE("row 70: a store written in each format opens, is whole and can be worked on") {
  for (const std::string format : {"format-1", "format-2", "format-3", "format-4", "format-5", "format-6", "format-7",
                                   "format-8", "format-9", "format-10", "format-11", "format-12", "format-13"}) {
    INFO(format);
    temporary_directory d;
    lay_down(all_golden / format / "store", d.store());
    lmdb_engine old{small_options(d.store())};
    check_same_as_now(old);
    check_knows_submissions(old);
    check_can_be_worked_on(old);
  }
}

TEST_CASE("row 70: a task of many steps in a store written in format 8 is read as it was") {
  temporary_directory d;
  lay_down(all_golden / "format-8" / "store-of-many-steps", d.store(), fill_with_many_steps);
  const lmdb_engine old{small_options(d.store())};
  temporary_directory other;
  lmdb_engine made_now{small_options(other.store())};
  fill_with_many_steps(made_now);
  REQUIRE(old.find("long"));
  CHECK(old.find("long") == made_now.find("long"));
  CHECK(old.find("long")->steps[8].result.size() == 320);
  CHECK(old.check().faults == std::vector<std::string>{});
}

TEST_CASE("row 70: a workflow with steps that wait, and a task that sleeps, are written as in format 10") {
  workflow::definition d;
  d.name = "delivery";
  d.steps = {sleeping_step("nap", wait_kind::sleep), sleeping_step("until", wait_kind::until),
             sleeping_step("next", wait_kind::next)};
  check_stored("definition", d, all_golden / "format-10");
  temporary_directory there;
  lay_down(all_golden / "format-10" / "store-of-sleepers", there.store(), fill_with_sleepers);
  const lmdb_engine old{small_options(there.store())};
  temporary_directory other;
  lmdb_engine made_now{small_options(other.store())};
  fill_with_sleepers(made_now);
  REQUIRE(old.find("asleep"));
  CHECK(old.find("asleep") == made_now.find("asleep"));
  CHECK(old.find("asleep")->steps[0].state == workflow::step_state::waiting);
  CHECK(old.check().faults == std::vector<std::string>{});
}

TEST_CASE("row 70: tasks that wait for events, for persons and for tokens are written as in format 11") {
  temporary_directory there;
  lay_down(all_golden / "format-11" / "store-of-waits", there.store(), fill_with_waits);
  lmdb_engine old{small_options(there.store())};
  temporary_directory other;
  lmdb_engine made_now{small_options(other.store())};
  fill_with_waits(made_now);
  for (const std::string id : {"waits", "took"}) {
    REQUIRE(old.find(id));
    CHECK(old.find(id) == made_now.find(id));
  }
  CHECK(old.find("took")->steps[0].wait->event == 1);
  CHECK(workflow::ends_later(old.find("took")->steps[2]));
  CHECK(old.find("waits")->steps[0].wait->event_key == "waits");
  CHECK(old.check().faults == std::vector<std::string>{});
  send_event w;
  w.name = "paid";
  w.key = "waits";
  w.data = "1";
  w.now = at(5);
  CHECK(old.commit({w}).at(0).as<event_result>().number == 2);
  CHECK(old.find("waits")->steps[0].state == workflow::step_state::completed);
}

TEST_CASE("row 70: schedules are written as in format 12, and go on") {
  temporary_directory there;
  lay_down(all_golden / "format-12" / "store-of-schedules", there.store(), fill_with_schedules);
  lmdb_engine old{small_options(there.store())};
  temporary_directory other;
  lmdb_engine made_now{small_options(other.store())};
  fill_with_schedules(made_now);
  REQUIRE(old.schedules({}, 10).size() == 2);
  CHECK(old.schedules({}, 10) == made_now.schedules({}, 10));
  CHECK(old.find_schedule("hourly")->queued == at(2800 + 3600));
  CHECK(old.find_schedule("weekly")->paused_why == "stocktaking");
  CHECK(old.check().faults == std::vector<std::string>{});
  CHECK(old.commit({fire_schedules{10, {}, at(2800 + 2 * 3600)}}).at(0).as<schedule_result>().made == 0);
  CHECK(old.find_schedule("hourly")->notes.back().fate == workflow::moment_fate::skipped);
}

TEST_CASE("row 70: a task that a step of another started is written as in format 12") {
  temporary_directory there;
  lay_down(all_golden / "format-12" / "store-of-children", there.store(), fill_with_children);
  lmdb_engine old{small_options(there.store())};
  temporary_directory other;
  lmdb_engine made_now{small_options(other.store())};
  fill_with_children(made_now);
  for (const std::string id : {"trip", "trip/inside"}) {
    REQUIRE(old.find(id));
    CHECK(old.find(id) == made_now.find(id));
  }
  CHECK(old.find("trip")->steps[0].state == workflow::step_state::compensating);
  CHECK(old.find("trip/inside")->state == workflow::process_state::undoing);
  CHECK(*old.find("trip/inside")->parent == workflow::parent_link{"trip", 1, 0, 1, workflow::family_max - 1});
  for (const std::string id : {"trip", "trip/inside"}) { // to a scheduler on another node
    const auto t = *old.find(id);
    CHECK(decode<workflow::task>(encode(t)) == t);
    const outcome claimed{decision{write_status::applied, {}}, claim_result{{t}, at(1), false}};
    CHECK(decode<outcome>(encode(claimed)).as<claim_result>().tasks == std::vector{t});
  }
  CHECK(old.check().faults == std::vector<std::string>{});
  const auto taken = old.commit({claim_tasks{"s1", 2, at(5)}}).at(0).as<claim_result>().tasks;
  REQUIRE(taken.size() == 1);
  old.commit({success_of(taken[0], 1, "{}", 6)});
  old.commit({success_of(*old.find("trip/inside"), 0, "{}", 7)});
  CHECK(old.find("trip")->state == workflow::process_state::undone);
}

TEST_CASE("row 70: tasks of a workflow with a limit are written as in format 12, and go on by it") {
  auto d = delivery();
  d.limit = workflow::limit_rule{"/customer", 1};
  check_stored("definition", d, all_golden / "format-12");
  temporary_directory there;
  lay_down(all_golden / "format-12" / "store-of-limits", there.store(), fill_with_limits);
  lmdb_engine old{small_options(there.store())};
  temporary_directory other;
  lmdb_engine made_now{small_options(other.store())};
  fill_with_limits(made_now);
  for (const std::string id : {"begun", "second", "third", "ready", "later"}) {
    REQUIRE(old.find(id));
    CHECK(old.find(id) == made_now.find(id));
    const auto t = *old.find(id); // to a scheduler on another node
    CHECK(decode<workflow::task>(encode(t)) == t);
  }
  CHECK(*old.find("begun")->limit == workflow::limit_place{"ada", true});
  CHECK(*old.find("ready")->limit == workflow::limit_place{"7", false});
  CHECK(old.check().faults == std::vector<std::string>{});
  const auto taken = old.commit({claim_tasks{"s1", 9, at(60)}}).at(0).as<claim_result>().tasks;
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].id == "ready");
  CHECK(old.find_limit_queue(old.find("later")->number)->holders == std::vector<std::string>{"ready"});
  CHECK(old.find_limit_queue(old.find("third")->number)->before == 1);
  CHECK(old.check().faults == std::vector<std::string>{});
}

TEST_CASE("row 70: an event with an id, and a place that is kept, are written as in format 13") {
  temporary_directory there;
  lay_down(all_golden / "format-13" / "store-of-kept-places", there.store(), fill_with_kept_places);
  lmdb_engine old{small_options(there.store())};
  temporary_directory other;
  lmdb_engine made_now{small_options(other.store())};
  fill_with_kept_places(made_now);
  for (const std::string id : {"ended", "second"}) {
    REQUIRE(old.find(id));
    CHECK(old.find(id) == made_now.find(id));
  }
  REQUIRE(old.find("ended")->state == workflow::process_state::processed);
  CHECK(old.find("ended")->limit->begun_at == at(2));
  CHECK(old.check().faults == std::vector<std::string>{});
  send_event w;
  w.name = "paid";
  w.key = "o-1";
  w.id = "evt-1";
  w.data = "1";
  w.now = at(4);
  CHECK(old.commit({w}).at(0).as<event_result>().again);
  CHECK(old.commit({claim_tasks{"s1", 2, at(61)}}).at(0).as<claim_result>().next == at(62));
  old.commit({claim_tasks{"s1", 2, at(62)}});
  CHECK(old.find("second")->limit->is_under_way);
  CHECK(old.check().faults == std::vector<std::string>{});
}

TEST_CASE("row 70: a step that goes over items, and they, are written as in format 12") {
  temporary_directory there;
  lay_down(all_golden / "format-12" / "store-of-items", there.store(), fill_with_items);
  lmdb_engine old{small_options(there.store())};
  temporary_directory other;
  lmdb_engine made_now{small_options(other.store())};
  fill_with_items(made_now);
  const auto d = *old.find_definition("parcels", 1);
  CHECK(d == *made_now.find_definition("parcels", 1));
  for (const std::uint32_t item : {0U, 1U, 2U}) {
    const auto id = item == 0 ? "parcels" : workflow::child_id(*old.find("parcels"), d, 0, item);
    INFO(id);
    REQUIRE(old.find(id));
    CHECK(old.find(id) == made_now.find(id));
  }
  CHECK(old.find("parcels")->steps[0].wait->progress == "1 of 3 done");
  CHECK(old.check().faults == std::vector<std::string>{});
  const auto last = workflow::child_id(*old.find("parcels"), d, 0, 3);
  for (std::uint32_t item = 2; item <= 3; ++item) {
    const auto taken = old.commit({claim_tasks{"s1", 2, at(5)}}).at(0).as<claim_result>().tasks;
    REQUIRE(taken.size() == 1);
    const workflow::attempt_ref ref{0, 1, taken[0].lock_epoch};
    const auto of_item = *old.find_definition(taken[0].workflow, taken[0].version);
    old.commit({update_by(taken[0], of_item, workflow::attempt_failed{ref, true, false, {}, "no"}, at(6))});
  }
  CHECK(old.find(last)->state == workflow::process_state::undone);
  CHECK(old.find(workflow::child_id(*old.find("parcels"), d, 0, 1))->state == workflow::process_state::undoing);
}

TEST_CASE("row 66: in a journal of format 5, an entry that is damaged with others behind it is told of") {
  temporary_directory d;
  lay_down(all_golden / "format-5" / "store", d.store());
  std::fstream file{d.store() / "journal", std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(30);
  file.put('\x7f');
  file.close();
  CHECK(mentions(refusal(small_options(d.store())), "entry 1 of the journal of the store is damaged"));
}

TEST_CASE("row 66: in a journal of format 5 that ends with its last entry, that entry counts") {
  temporary_directory d;
  lay_down(all_golden / "format-5" / "store", d.store());
  std::ifstream file{d.store() / "journal", std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  const auto body_at = [&](std::size_t frame) {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data() + frame + frame_head_size - sizeof size, sizeof size);
    return size;
  };
  std::size_t end = 0;
  while (body_at(end) > 0)
    end += frame_head_size + body_at(end);
  fs::resize_file(d.store() / "journal", end);
  lmdb_engine old{small_options(d.store())};
  check_same_as_now(old);
}

TEST_CASE("row 70: a task of format 4 whose last change is only in the journal is as it was left") {
  temporary_directory d;
  lay_down(all_golden / "format-4" / "store", d.store());
  std::optional<workflow::task> left;
  {
    lmdb_engine old{small_options(d.store())};
    const auto change = success_of(*old.find("large"), 1);
    old.share([] {});
    CHECK(old.commit({change})[0].result == write_status::applied);
    left = change.next;
    left->revision++;
  }
  const lmdb_engine again{small_options(d.store())};
  CHECK(again.find("large") == left);
  CHECK(again.check().faults == std::vector<std::string>{});
}
