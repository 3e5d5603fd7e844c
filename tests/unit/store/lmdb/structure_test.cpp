// The pages of a data file: those that LMDB wrote are right, whatever was written and erased; each damage of them is
// told.

#include "tests/unit/store/support.hpp"

#include "store/lmdb/lmdb.hpp"
#include "store/lmdb/lmdb_file.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

using namespace steadfast;
using namespace steadfast::store;
using namespace steadfast::store::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t page = 4096;

std::string bytes_of(const opened_store& store) {
  std::ifstream file{store.path() / "data.mdb", std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::string fault_of(const std::string& bytes) {
  try {
    lmdb::check_structure(bytes);
    return "none";
  } catch (const store_error& e) {
    return e.what();
  }
}

/// With branches, overflow pages, a free list, and older versions of all of them.
std::string filled_file() {
  opened_store store;
  for (int i = 0; i < 300; ++i)
    store.submit("task-" + std::to_string(i), std::string(i % 50 == 0 ? 9000 : 60, 'p'));
  for (int i = 0; i < 30; ++i)
    store.one(success_of(store.take(), 0, std::string(i % 3 == 0 ? 5000 : 20, 'r')));
  return bytes_of(store);
}

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T n{};
  std::memcpy(&n, bytes.data() + at, sizeof n);
  return n;
}

template <class T>
std::string with_number(std::string bytes, std::size_t at, T n) {
  std::memcpy(bytes.data() + at, &n, sizeof n);
  return bytes;
}

/// Where its trees begin: that of the free list, and `main_tree` bytes behind it that of the names of tables.
std::size_t newest_head(const std::string& bytes) {
  constexpr std::size_t transaction = 16 + 128;
  const bool is_first =
    number_at<std::uint64_t>(bytes, transaction) > number_at<std::uint64_t>(bytes, page + transaction);
  return (is_first ? 0 : page) + 16 + 24;
}
constexpr std::size_t main_tree = 48;
constexpr std::size_t last_page = 96;
constexpr std::size_t entries_of_tree = 32;
constexpr std::size_t root_of_tree = 40;

std::uint16_t half_at(const std::string& bytes, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[at])
                                    | static_cast<unsigned char>(bytes[at + 1]) << 8);
}

/// Of the pages that the newest trees use, the first with these flags; 1: a branch, 2: a leaf, 4: overflow.
std::size_t used_page(const std::string& bytes, std::uint16_t flags) {
  for (std::size_t at = 2 * page; at + page <= bytes.size(); at += page) {
    auto without = bytes;
    without[at] = static_cast<char>(without[at] ^ 1); // its number
    if (half_at(bytes, at + 10) == flags && fault_of(without) != "none")
      return at;
  }
  FAIL("there is no such page");
  return 0;
}

std::string with_half(std::string bytes, std::size_t at, std::uint16_t value) {
  bytes[at] = static_cast<char>(value);
  bytes[at + 1] = static_cast<char>(value >> 8);
  return bytes;
}

} // namespace

TEST_CASE("whatever is written and erased, the pages of the file are right") {
  temporary_directory d;
  lmdb::environment env{{d.path(), 64 << 20}};
  std::mt19937_64 chance{7};
  const auto check = [&] {
    std::ifstream file{d.path() / "data.mdb", std::ios::binary};
    lmdb::check_structure(std::string{std::istreambuf_iterator<char>{file}, {}});
  };
  CHECK_NOTHROW(check());
  for (int i = 0; i < 300; ++i) {
    auto txn = lmdb::transaction::writing(env);
    const auto t = txn.make_table(i % 3 == 0 ? "a" : "b");
    const auto begin = chance() % 500;
    for (std::uint64_t n = begin; n < begin + chance() % 100; ++n) {
      const key k{n * 0x9E3779B97F4A7C15, std::string_view{"the rest of the key"}};
      if (chance() % 3 == 0)
        txn.put(t, k, std::string(chance() % (n % 20 == 0 ? 20'000 : 300), 'v'));
      else
        txn.erase(t, k);
    }
    txn.commit();
    INFO("after commit " << i);
    REQUIRE_NOTHROW(check());
  }
}

TEST_CASE("row 66: each damage of a page's place, use and ends is told") {
  const auto good = filled_file();
  REQUIRE(fault_of(good) == "none");
  CHECK(fault_of("") == "it ends too early");
  CHECK(fault_of(good.substr(0, 3 * page)) == "it ends too early");
  CHECK(fault_of(std::string(good.size(), '\0')) == "its page size cannot be right");
  for (const auto flags : std::initializer_list<std::uint16_t>{1, 2, 4}) {
    const auto at = used_page(good, flags);
    INFO("page " << at / page);
    CHECK_THAT(fault_of(with_half(good, at + 10, static_cast<std::uint16_t>(flags ^ 1))),
               Contains("is another than it is used as"));
    CHECK_THAT(fault_of(with_half(good, at, static_cast<std::uint16_t>(half_at(good, at) + 1))),
               Contains("is another than it is used as"));
    if (flags == 4)
      CHECK_THAT(fault_of(with_half(good, at + 12, 77)), Contains("another size"));
    else
      CHECK_THAT(fault_of(with_half(good, at + 12, 5000)), Contains("the ends of a page are wrong"));
  }
}

TEST_CASE("row 66: a wrong way to a key, and a page that is used twice, are told") {
  const auto good = filled_file();
  const auto branch = used_page(good, 1);
  const auto second = branch + half_at(good, branch + 18); // its second entry
  auto other = good;
  other[second + 8] = static_cast<char>(0xFF); // of its key
  CHECK(fault_of(other) == "keys are out of order");
  const auto first = branch + half_at(good, branch + 16);
  other = good;
  std::copy_n(good.begin() + static_cast<std::ptrdiff_t>(first), 6,
              other.begin() + static_cast<std::ptrdiff_t>(second));
  CHECK_THAT(fault_of(other), Contains("is used twice"));
}

TEST_CASE("row 66: a key that is above all that its page is searched for is told") {
  const auto good = filled_file();
  const auto branch = used_page(good, 1);
  const auto first = branch + half_at(good, branch + 16);
  const auto child = number_at<std::uint32_t>(good, first) * page;
  REQUIRE(half_at(good, child + 10) == 2); // a leaf
  const auto count = (half_at(good, child + 12) - 16U) / 2;
  const auto last = child + half_at(good, child + 16 + 2 * (count - 1));
  CHECK(fault_of(with_number(good, last + 8, '\xFF')) == "keys are out of order");
}

TEST_CASE("row 66: each page of the free list is looked at") {
  const auto good = filled_file();
  const auto head = newest_head(good);
  const auto list = number_at<std::uint64_t>(good, head + root_of_tree) * page;
  REQUIRE(half_at(good, list + 10) == 2); // a leaf
  const auto entry = list + half_at(good, list + 16);
  const auto value = entry + 8 + half_at(good, entry + 6);
  const auto count = number_at<std::uint64_t>(good, value);
  REQUIRE(count > 0);
  const auto in_use = number_at<std::uint64_t>(good, head + main_tree + root_of_tree);
  for (std::uint64_t i = 1; i <= count; ++i)
    CHECK_THAT(fault_of(with_number(good, value + 8 * i, in_use)), Contains("is used twice"));
}

TEST_CASE("row 66: a tree that has not as many entries as it says is told of") {
  const auto good = filled_file();
  for (const std::size_t tree : {std::size_t{0}, main_tree}) {
    const auto at = newest_head(good) + tree + entries_of_tree;
    CHECK_THAT(fault_of(with_number(good, at, number_at<std::uint64_t>(good, at) + 1)), Contains("than it says"));
  }
}

TEST_CASE("row 66: a last page that lies far outside is told of before the file is mapped, which would never end") {
  const auto good = filled_file();
  const auto at = newest_head(good) + last_page;
  const auto far = number_at<std::uint64_t>(good, at) | 1ULL << 61;
  CHECK(fault_of(with_number(good, at, far)) == "its last page lies outside of its map");
}

TEST_CASE("row 66: a store whose free list is an older one is refused before it is written to") {
  opened_store store;
  const auto free_list = [&store] { // its root, of the newest head
    const auto bytes = bytes_of(store);
    const auto head = half_at(bytes, 16 + 128) > half_at(bytes, page + 16 + 128) ? 0 : page;
    return half_at(bytes, head + 16 + 24 + 40) * page;
  };
  for (int i = 0; i < 20; ++i)
    store.submit("task-" + std::to_string(i), std::string(9000, 'p'));
  const auto older = bytes_of(store).substr(free_list(), page);
  store.submit("last", std::string(9000, 'p'));
  store.close();
  auto bytes = bytes_of(store);
  const auto at = free_list();
  bytes.replace(at + 16, page - 16, older, 16);
  bytes.replace(at + 12, 4, older, 12, 4);
  std::ofstream{store.path() / "data.mdb", std::ios::binary} << bytes;
  std::filesystem::remove(store.path() / "closed");
  CHECK_THROWS_WITH(store.reopen(), Contains("is damaged"));
}
