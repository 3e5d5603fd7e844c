// Compact bodies: small, and with one way to write a value.

#include "samples.hpp"
#include "support.hpp"

#include "store/compact.hpp"
#include "store/record.hpp"
#include "tests/support/property.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("a new task's compact record is less than half as long as a plain one") {
  const auto t = workflow::make_task(order("order-1", "{}"), delivery(), at(0));
  const std::vector<large_result> large;
  const auto size = encode_record("k", task_state_view{&t, 1, t.payload.size(), &large}).size();
  CHECK(2 * size < encode(t).size() - t.payload.size());
}
