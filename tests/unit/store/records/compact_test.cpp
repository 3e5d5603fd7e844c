// Compact bodies: small, and with one way to write a value.

#include "tests/unit/store/samples.hpp"
#include "tests/unit/store/support.hpp"

#include "store/records/compact.hpp"
#include "store/records/fields.hpp"
#include "store/records/record.hpp"
#include "tests/support/property.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <limits>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;

namespace {

template <class... Ts>
std::string compact(Ts... values) {
  std::string bytes;
  compact_writer ar{bytes};
  all(ar, values...);
  return bytes;
}

using moments = std::array<workflow::instant, 3>;

moments read_moments(std::string_view bytes, std::uint16_t format = relative_body) {
  compact_reader ar{bytes, format};
  moments m;
  all(ar, m[0], m[1], m[2]);
  CHECK(ar.left() == 0);
  return m;
}

template <class T>
T read_one(std::string_view bytes) {
  compact_reader ar{bytes};
  T value{};
  all(ar, value);
  CHECK(ar.left() == 0);
  return value;
}

void read_three(std::string_view bytes) {
  compact_reader ar{bytes};
  std::string text;
  std::uint32_t number = 0;
  auto state = workflow::process_state::pending;
  all(ar, text, number, state);
}

} // namespace

TEST_CASE("a stretch that claims more steps than it may have is refused") {
  using workflow::step;
  CHECK(read_one<workflow::few_steps>(compact(std::vector<step>(8))).size() == 8);
  CHECK_THROWS_AS(read_one<workflow::few_steps>(compact(std::vector<step>(9))), damaged_record);
}

TEST_CASE("a compact number takes the bytes that it needs") {
  CHECK(compact(std::uint64_t{0}) == std::string(1, '\0'));
  CHECK(compact(std::uint32_t{127}) == "\x7f");
  CHECK(compact(std::uint32_t{300}) == "\xac\x02");
  CHECK(compact(workflow::span{-1}) == "\x01");
  CHECK(compact(workflow::span{1}) == "\x02");
  CHECK(compact(std::numeric_limits<std::uint64_t>::max()).size() == 10);
}

TEST_CASE("property: compact numbers come back as they were") {
  steadfast::tests::holds(200, 100, [] {
    const auto number = *rc::gen::arbitrary<std::uint64_t>() >> *rc::gen::inRange(0, 64);
    RC_ASSERT(read_one<std::uint64_t>(compact(number)) == number);
    const workflow::span span{static_cast<std::int64_t>(number) * *rc::gen::element(1, -1)};
    RC_ASSERT(read_one<workflow::span>(compact(span)) == span);
  });
}

TEST_CASE("a number that is longer than it must be, or than its type, is refused") {
  CHECK_THROWS_AS(read_one<std::uint32_t>(std::string_view{"\x80\x00", 2}), damaged_record);
  CHECK_THROWS_AS(read_one<std::uint32_t>("\x80"), damaged_record);
  CHECK_THROWS_AS(read_one<std::uint32_t>(compact(std::uint64_t{1} << 32)), damaged_record);
  CHECK_THROWS_AS(read_one<std::uint64_t>("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), damaged_record);
  CHECK_THROWS_AS(read_one<std::uint64_t>("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), damaged_record);
}

TEST_CASE("of several fields those are written that say something") {
  CHECK(compact(std::string{}, std::uint32_t{5}, workflow::process_state::pending) == "\x06\x05\x01");
  CHECK_NOTHROW(read_three("\x06\x05\x01"));
}

TEST_CASE("fields that are missing, empty or not there are refused") {
  CHECK_THROWS_AS(read_three("\x02\x05"), damaged_record);                          // an enum has no zero
  CHECK_THROWS_AS(read_three(std::string_view{"\x06\x00\x01", 3}), damaged_record); // the number says nothing
  CHECK_THROWS_AS(read_three(std::string_view{"\x05\x00\x01", 3}), damaged_record); // nor does the text
  CHECK_THROWS_AS(read_three("\x0e\x05\x01\x01"), damaged_record);                  // there is no fourth
}

TEST_CASE("a moment is written as its distance from the first one") {
  const auto first = compact(at(0).time_since_epoch());
  CHECK(compact(at(0), at(1), at(0)) == '\x07' + first + compact(workflow::span{1000}) + '\0');
}

TEST_CASE("moments come back as they were, however far apart they are") {
  constexpr auto never = workflow::never;
  constexpr auto earliest = workflow::instant::min();
  constexpr workflow::instant before_1970{workflow::span{-1}};
  for (const auto& m :
       {moments{at(0), at(1), at(-1)}, moments{never, earliest, before_1970}, moments{earliest, never, at(0)},
        moments{workflow::unset, before_1970, never}, moments{at(0), never, never}, moments{}})
    CHECK(read_moments(compact(m[0], m[1], m[2])) == m);
}

TEST_CASE("property: moments come back as they were") {
  steadfast::tests::holds(200, 100, [] {
    moments m;
    for (auto& x : m)
      x = workflow::instant{workflow::span{*rc::gen::arbitrary<std::int64_t>()}};
    RC_ASSERT(read_moments(compact(m[0], m[1], m[2])) == m);
  });
}

TEST_CASE("in format 2 each moment is counted from 1970") {
  const auto since = [](workflow::instant m) { return m.time_since_epoch(); };
  const moments m{at(0), at(1), workflow::never};
  CHECK(read_moments(compact(since(m[0]), since(m[1]), since(m[2])), compact_body) == m);
}

TEST_CASE("a distance that leads to no moment is refused") {
  const auto first = at(0).time_since_epoch();
  CHECK_THROWS_AS(read_moments(compact(first, -first, workflow::span{1})), damaged_record);
}

TEST_CASE("a new task's compact record is less than half as long as a plain one") {
  const auto t = workflow::make_task(order("order-1", "{}"), delivery(), at(0));
  const std::vector<large_result> large;
  const auto size = encode_record("k", task_state_view{&t, 1, t.payload.size(), &large}).size();
  CHECK(2 * size < encode(t).size() - t.payload.size());
}

TEST_CASE("the records of five ended tasks of five steps fill a page of the data file") {
  auto d = delivery();
  d.steps.clear();
  for (int i = 1; i <= 5; ++i)
    d.steps.push_back(step_named("agent-" + std::to_string(i)));
  auto t = workflow::make_task(order("15960e6c1baccaa32-70123"), d, at(0));
  t = update_by(t, d, workflow::taken{"scheduler-1"}, at(1)).next;
  for (std::size_t i = 0; i < d.steps.size(); ++i)
    t = update_by(t, d, workflow::attempt_succeeded{{i, 1, 1}, workflow::blob{std::string(100, 'r')}, {}}, at(2)).next;
  REQUIRE(t.state == workflow::process_state::processed);

  const std::vector<large_result> large;
  const auto size = encode_record(key{t.number}, task_state_view{&t, 7, t.payload.size(), &large}).size();
  constexpr std::size_t head_of_page = 16;
  constexpr std::size_t beside_a_record = 2 + 8 + sizeof(std::uint64_t); // where it is, its sizes, its key
  CHECK(5 * (size + beside_a_record) <= 4096 - head_of_page);
}
