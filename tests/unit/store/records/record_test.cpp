// Records check themselves: whatever happens to their bytes, they are whole or they are refused.

#include "tests/unit/store/samples.hpp"

#include "store/records/record.hpp"
#include "tests/support/property.hpp"

#include <catch2/catch.hpp>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

/// What encode and decode make of it, twice, since the archives are used again.
template <class T>
void check_round_trip(const T& value) {
  const auto bytes = encode(value);
  CHECK(encode(value) == bytes);
  CHECK(encode(decode<T>(bytes)) == bytes);
}

/// The head of a frame with this body, as a stranger could make it.
std::string sealed(std::string body, record_kind kind, std::uint16_t format = plain_body) {
  std::string frame = std::string(frame_head_size, '\0') + std::move(body);
  seal(frame, format, kind, {});
  return frame;
}

/// The frame of an alert with more behind its body, and with another format.
std::string encode_again(const workflow::alert& x, const std::string& more, std::uint16_t format) {
  return sealed(encode(x).substr(frame_head_size) + more, record_kind::bare_alert, format);
}

std::string count_bytes(std::uint32_t n) {
  return {reinterpret_cast<const char*>(&n), sizeof(n)};
}

/// With so many bytes changed, or fewer.
std::string with_other_bytes(std::string body, int count, std::uint64_t& chance) {
  for (int i = 0; i < count; ++i) {
    chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
    body[(chance >> 33) % body.size()] = static_cast<char>(chance >> 17);
  }
  return body;
}

/// REQUIRES: the task has no payload, which is no part of it.
std::string state_record(const workflow::task& t) {
  const std::vector<large_result> large;
  return std::string{encode_record({}, task_state_view{&t, t.revision, 0, &large})};
}

workflow::task read_state(const std::string& record) {
  return decode_record<task_state>({}, record).task;
}

workflow::task task_without_payload() {
  auto t = sample_task();
  t.payload = {};
  return t;
}

std::vector<workflow::instant*> moments_of(workflow::task& t) {
  std::vector<workflow::instant*> all{&t.submitted_at, &t.complete_by, &t.not_before, &t.ended_at};
  for (auto& a : t.acts)
    all.push_back(&a.at);
  for (std::size_t i = 0; i < t.steps.size(); ++i) {
    auto& s = t.steps.change(i);
    all.insert(all.end(), {&s.complete_by, &s.settles_at, &s.not_before, &s.waiting_since, &s.completed_at});
    for (auto& line : s.log.change())
      all.insert(all.end(), {&line.started_at, &line.ended_at});
  }
  return all;
}

} // namespace

TEST_CASE("a page of events is the same bytes whenever its thread writes it, and is read by any other thread") {
  kept_event e;
  e.number = 3;
  e.name = "paid";
  e.key = "order-4711";
  const event_page page{{e}, "there"};
  const auto of_new_thread = [&] {
    std::string bytes;
    std::thread{[&] { bytes = encode(page); }}.join();
    return bytes;
  };
  const auto first = of_new_thread();
  encode(page);
  CHECK(encode(page) == first);
  for (int i = 0; i < 2; ++i) {
    const auto read = decode<event_page>(encode(page));
    REQUIRE(read.events.size() == 1);
    CHECK(read.events[0].number == 3);
    CHECK(read.events[0].name == "paid");
    CHECK(read.next == "there");
  }
}

TEST_CASE("every type that is sent comes back as it was") {
  CHECK(decode<workflow::task>(encode(sample_task())) == sample_task());
  CHECK(decode<workflow::definition>(encode(sample_definition())) == sample_definition());
  CHECK(decode<workflow::submission>(encode(sample_submission())) == sample_submission());
  CHECK(decode<workflow::notice>(encode(sample_notice())) == sample_notice());
  CHECK(decode<workflow::alert>(encode(sample_alert())) == sample_alert());
  CHECK(decode<workflow::late_reply>(encode(sample_late_reply())) == sample_late_reply());
  CHECK(decode<workflow::attempt_ref>(encode(workflow::attempt_ref{1, 2, 3})) == workflow::attempt_ref{1, 2, 3});
  CHECK(decode<workflow::fact>(encode(workflow::fact{"/a", "1"})) == workflow::fact{"/a", "1"});
  CHECK(decode<workflow::explanation>(encode(workflow::explanation{"by", moment(1)}))
        == workflow::explanation{"by", moment(1)});
  const std::vector<workflow::definition> many{sample_definition(), sample_definition()};
  CHECK(decode<std::vector<workflow::definition>>(encode(many)) == many);

  check_round_trip(sample_writes());
  for (const auto& w : sample_writes()) {
    check_round_trip(w);
    CHECK(decode<store::write>(encode(w)).index() == w.index());
  }
  check_round_trip(sample_outcome());
  check_round_trip(sample_filter());
  check_round_trip(sample_lease());
  check_round_trip(sample_alert_entry());
  check_round_trip(task_page{{sample_task()}, 5, "key"});
  check_round_trip(state_store::due_page{{sample_task()}, std::pair{moment(1), std::uint64_t{5}}});
  check_round_trip(notice_entry{"shop", 5, "a", sample_notice()});
  check_round_trip(late_reply_entry{5, "a", sample_late_reply()});
  check_round_trip(store_stats{{{{workflow::process_state::error, 5}}, 1, 2, 6}, {3, 4, 5}});
  check_round_trip(check_report{1, 2, {"a fault"}});
}

TEST_CASE(
  "what a step expects comes back as it was, and a step that expects nothing is written as before there was that") {
  auto d = sample_definition();
  const auto before = encode(d);
  d.steps[0].expect = workflow::expect_rule{{"", "/status", workflow::condition::test::equals, "\"ok\""}, true};
  CHECK(decode<workflow::definition>(encode(d)) == d);
  d.steps[0].expect.reset();
  CHECK(encode(d) == before);
}

TEST_CASE("a page of tasks carries what they wait for, whose child they are and their limit to another node") {
  auto t = sample_task();
  t.steps.change(0).wait.change().token = "digest";
  CHECK(decode<task_page>(encode(task_page{{t}, {}, {}})).tasks == std::vector{t});
  t = sample_task();
  t.parent.change().id = "trip-1";
  CHECK(decode<task_page>(encode(task_page{{t}, {}, {}})).tasks == std::vector{t});
  t = sample_task();
  t.limit.change().key = "customer 7";
  CHECK(decode<task_page>(encode(task_page{{t}, {}, {}})).tasks == std::vector{t});
}

TEST_CASE("property: a task's state record comes back as it was, whatever its moments are") {
  steadfast::tests::holds(200, 100, [] {
    auto t = task_without_payload();
    for (auto* m : moments_of(t))
      *m = *rc::gen::oneOf(
        rc::gen::element(workflow::unset, workflow::never, workflow::instant::min(), workflow::instant_max, moment(0)),
        rc::gen::map<std::int64_t>([](auto n) { return workflow::instant{workflow::span{n}}; }));
    RC_ASSERT(read_state(state_record(t)) == t);
  });
}

TEST_CASE("fields that differ give different bytes") {
  auto claimed = sample_outcome().as<claim_result>();
  claimed.tasks[0].steps.change(0).log.change()[0].note += "!";
  const decision d = sample_outcome();
  const auto before = encode(outcome{d, sample_outcome().as<claim_result>()});
  CHECK(encode(outcome{d, claimed}) != before);
  claimed = sample_outcome().as<claim_result>();
  claimed.more = false;
  CHECK(encode(outcome{d, claimed}) != before);
}

TEST_CASE("row 66: no single flipped bit of a record goes unnoticed") {
  const std::string key = "the key";
  const std::string bytes{encode_record(key, sample_alert_entry())};
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    auto flipped = bytes;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    CHECK_THROWS_AS(decode_record<alert_entry>(key, flipped), damaged_record);
  }
  CHECK(encode(decode_record<alert_entry>(key, bytes)) == encode(sample_alert_entry()));
}

TEST_CASE("row 66: a record cut short or with bytes too many is refused") {
  const auto bytes = encode(sample_task());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(decode<workflow::task>(std::string_view{bytes}.substr(0, size)), damaged_record);
  CHECK_THROWS_AS(decode<workflow::task>(bytes + '\0'), damaged_record);
}

TEST_CASE("row 66: a record under the key of another one is refused") {
  const std::string bytes{encode_record("lease-a", lease_record{sample_lease(), workflow::span{1}})};
  CHECK_NOTHROW(decode_record<lease_record>("lease-a", bytes));
  CHECK_THROWS_AS(decode_record<lease_record>("lease-b", bytes), damaged_record);
}

TEST_CASE("a record of another kind or format is refused") {
  CHECK_THROWS_AS(decode<workflow::alert>(encode(sample_notice())), damaged_record);
  const auto as_a_notice = sealed(encode(sample_alert()).substr(frame_head_size), record_kind::bare_notice);
  CHECK_THROWS_AS(decode<workflow::alert>(as_a_notice), damaged_record);
  auto later = encode(sample_notice());
  later[8] = 2; // the format
  CHECK_THROWS_AS(decode<workflow::notice>(later), damaged_record);
}

TEST_CASE("a body that ends early, goes on too long or names no value is refused though its checksum is right") {
  const auto body = encode(sample_definition()).substr(frame_head_size);
  CHECK(decode<workflow::definition>(sealed(body, record_kind::definition, relative_body)) == sample_definition());
  for (std::size_t size = 0; size < body.size(); ++size)
    CHECK_THROWS_AS(decode<workflow::definition>(sealed(body.substr(0, size), record_kind::definition, relative_body)),
                    damaged_record);
  CHECK_THROWS_AS(decode<workflow::definition>(sealed(body + "x", record_kind::definition, relative_body)),
                  damaged_record);

  CHECK_THROWS_AS(decode<workflow::definition>(sealed(body, record_kind::definition, compact_body)), damaged_record);
  CHECK_THROWS_AS(decode<workflow::alert>(encode_again(sample_alert(), "x", plain_body)), damaged_record);
  CHECK_THROWS_AS(decode<workflow::alert>(encode_again(sample_alert(), "", relative_body)), damaged_record);

  const auto write_body = encode(sample_writes()[0]).substr(frame_head_size);
  auto no_such_write = write_body;
  no_such_write[0] = 99;
  CHECK_THROWS_AS(decode<store::write>(sealed(no_such_write, record_kind::write_request, relative_body)),
                  damaged_record);

  auto outcome_body = encode(sample_outcome()).substr(frame_head_size);
  outcome_body[0] = 0;
  CHECK_THROWS_AS(decode<outcome>(sealed(outcome_body, record_kind::write_outcome)), damaged_record);
}

TEST_CASE("a map whose keys are out of order or come twice is refused") {
  const auto body =
    encode(store_stats{{{{workflow::process_state::pending, 1}, {workflow::process_state::error, 2}}}, {}})
      .substr(frame_head_size);
  constexpr std::size_t first = 4;
  constexpr std::size_t second = first + 9;
  CHECK(decode<store_stats>(sealed(body, record_kind::store_stats)).tasks.size() == 2);
  auto other = body;
  std::swap(other[first], other[second]);
  CHECK_THROWS_AS(decode<store_stats>(sealed(other, record_kind::store_stats)), damaged_record);
  other[first] = other[second];
  CHECK_THROWS_AS(decode<store_stats>(sealed(other, record_kind::store_stats)), damaged_record);
}

TEST_CASE("a claimed length costs no memory before its bytes are there") {
  const auto huge = count_bytes(0xFFFF'FFFF);
  CHECK_THROWS_AS(decode<workflow::fact>(sealed(huge, record_kind::fact)), damaged_record);
  const auto tasks = static_cast<record_kind>(static_cast<std::uint16_t>(record_kind::list)
                                              + static_cast<std::uint16_t>(record_kind::task));
  CHECK_THROWS_AS(decode<std::vector<workflow::task>>(sealed(huge, tasks)), damaged_record);
}

TEST_CASE("row 66: a task's state record that ends early or goes on too long is refused though its checksum is right") {
  const auto body = state_record(task_without_payload()).substr(frame_head_size);
  const auto read = [](std::string bytes) {
    return read_state(sealed(std::move(bytes), record_kind::task_state, relative_body));
  };
  CHECK(read(body) == task_without_payload());
  for (std::size_t size = 0; size < body.size(); ++size)
    CHECK_THROWS_AS(read(body.substr(0, size)), damaged_record);
  CHECK_THROWS_AS(read(body + "x"), damaged_record);
  CHECK_THROWS_AS(read_state(sealed(body, record_kind::task_state, relative_body + 1)), damaged_record);
}

TEST_CASE("random bytes are never a task's state record, or are just what is written") {
  const auto good = state_record(task_without_payload()).substr(frame_head_size);
  std::uint64_t chance = 1;
  int taken = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto record = sealed(with_other_bytes(good, 1, chance), record_kind::task_state, relative_body);
    try {
      const auto t = read_state(record);
      CHECK(state_record(t) == record);
      ++taken;
    } catch (const damaged_record&) {
    }
  }
  CHECK(taken > 0);
}

TEST_CASE("random bytes are never a record, however they begin") {
  const auto good = encode(sample_writes()[1]);
  std::uint64_t chance = 1;
  for (int i = 0; i < 5000; ++i) {
    const auto body = with_other_bytes(good.substr(frame_head_size), 3, chance);
    try {
      // Either it is refused, or it is a value that can be written again.
      const auto w = decode<store::write>(sealed(body, record_kind::write_request, relative_body));
      CHECK(decode<store::write>(encode(w)).index() == w.index());
    } catch (const damaged_record&) {
    }
  }
}
