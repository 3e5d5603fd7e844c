// What an answer means, and what to do next: no server is needed.

#include "store/contract/state_store.hpp"
#include "store/postgres/ownership.hpp"
#include "store/postgres/partition.hpp"
#include "store/postgres/place.hpp"
#include "store/postgres/schema.hpp"
#include "store/postgres/succession.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace steadfast;
using namespace steadfast::store::postgres;

namespace {

reply complete(std::size_t statements) {
  reply r;
  r.statements = statements;
  r.is_complete = true;
  return r;
}

reply refused_with(const std::string& code, std::size_t at) {
  auto r = complete(2);
  r.why_not = refusal{code, "said so", at};
  return r;
}

bool mentions(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

} // namespace

TEST_CASE("only an answer that is whole and without a warning says that a commit was made") {
  CHECK(end_of(complete(0)) == transaction_end::made);
  auto r = complete(0);
  r.warning = "canceling wait for synchronous replication";
  CHECK(end_of(r) == transaction_end::unknown);
  CHECK(why(r) == r.warning);
  r = complete(0);
  r.is_complete = false;
  CHECK(end_of(r) == transaction_end::unknown);
  r = complete(0);
  r.broken = "no answer";
  CHECK(end_of(r) == transaction_end::unknown);
  CHECK(end_of(complete(1)) == transaction_end::unknown); // a result is missing
}

TEST_CASE("a refusal is one of a statement, followed by the end of all") {
  CHECK(end_of(refused_with("23505", 1)) == transaction_end::refused);
  CHECK(end_of(refused_with("40001", 2)) == transaction_end::unknown); // of the commit itself
  auto r = refused_with("57P01", 0);
  r.is_complete = false;
  r.broken = "the connection was lost";
  CHECK(end_of(r) == transaction_end::unknown);
  r = refused_with("23505", 1);
  r.warning = "something";
  CHECK(end_of(r) == transaction_end::unknown);
  for (const auto* code : {"40001", "40P01", "55P03", "53100", "53300"})
    CHECK(is_passing({code, "", 0}));
  CHECK_FALSE(is_passing({"23505", "", 0}));
}

TEST_CASE("a commit is lost to another owner only by its fence") {
  CHECK(what_was_appended(complete(0)).result == appending::applied);
  CHECK(what_was_appended(refused_with("22012", 0)).result == appending::lost);
  CHECK(what_was_appended(refused_with("22012", 1)).result == appending::not_made);
  CHECK_FALSE(what_was_appended(refused_with("22012", 1)).is_passing);
  const auto full = what_was_appended(refused_with("53100", 1));
  CHECK(full.result == appending::not_made);
  CHECK(full.is_passing);
  CHECK(full.why == "said so (53100)");
  CHECK(what_was_appended(refused_with("22012", 2)).result == appending::unknown);
}

TEST_CASE("a partition is taken from whom it was seen with, and from no server that shows less than was acknowledged") {
  CHECK(may_take({3, "n1", 10}, 3, {}).result == taking::taken);
  CHECK(may_take({3, "n1", 10}, 3, {3, 10}).result == taking::taken);
  CHECK(may_take({4, "n2", 10}, 3, {3, 10}).result == taking::moved);
  CHECK(may_take({3, "n1", 9}, 3, {3, 10}).result == taking::server_lost);
  CHECK(may_take({2, "n1", 10}, 2, {3, 10}).result == taking::server_lost);
  CHECK(may_take({4, "n2", 9}, 4, {3, 10}).result == taking::server_lost); // others went on without them
}

TEST_CASE("a partition may be taken when its holder has shown no life for the length of his lease, or has let it go") {
  using std::chrono::milliseconds;
  const std::chrono::steady_clock::time_point begin{};
  succession s{milliseconds{1000}};
  const auto may = [&](const shown_partition& seen, int after) {
    return s.may_take(seen, begin + milliseconds{after});
  };
  CHECK_FALSE(may({3, "n1", 10}, 0));
  CHECK_FALSE(may({3, "n1", 10}, 999));
  CHECK_FALSE(may({3, "n1", 11}, 999));  // he lives
  CHECK_FALSE(may({4, "n2", 11}, 1998)); // somebody else does
  CHECK_FALSE(may({4, "n2", 11}, 2997));
  CHECK(may({4, "n2", 11}, 2998));
  CHECK(may({4, "", 11}, 2998));
}

TEST_CASE("who lets others first takes a partition that all others have left alone") {
  using std::chrono::milliseconds;
  const std::chrono::steady_clock::time_point begin{};
  succession s{milliseconds{1000}};
  const auto may = [&](const shown_partition& seen, int after) {
    return s.may_take(seen, begin + milliseconds{after}, true);
  };
  CHECK_FALSE(may({3, "", 10}, 0));
  CHECK_FALSE(may({3, "", 10}, 199));
  CHECK(may({3, "", 10}, 200));
  CHECK_FALSE(may({4, "n2", 10}, 300));
  CHECK_FALSE(may({4, "n2", 10}, 1499));
  CHECK(may({4, "n2", 10}, 1500));
}

TEST_CASE("what was read before a partition was taken counts only if it is part of what is there then") {
  CHECK(is_part_of({3, 8, 10}, {3, 8, 10}));
  CHECK(is_part_of({3, 8, 10}, {3, 8, 12}));
  CHECK_FALSE(is_part_of({3, 8, 10}, {4, 8, 12}));  // a commit in doubt was made anew, perhaps
  CHECK_FALSE(is_part_of({3, 8, 10}, {3, 11, 12})); // the rows were brought up, perhaps in the middle of the reading
  CHECK_FALSE(is_part_of({3, 8, 10}, {3, 8, 9}));   // the server has lost commits
}

TEST_CASE("an owner takes a partition again only from itself") {
  CHECK(may_take_again({3, "n1", 10}, "n1", {3, 10}).result == taking::taken);
  CHECK(may_take_again({3, "n1", 11}, "n1", {3, 10}).result == taking::taken); // the commit in doubt
  CHECK(may_take_again({5, "n1", 10}, "n1", {3, 10}).result == taking::taken); // two takings of its own in doubt
  CHECK(may_take_again({4, "n2", 12}, "n1", {3, 10}).result == taking::moved);
  CHECK(may_take_again({3, "", 10}, "n1", {3, 10}).result == taking::moved); // a person took it away
  CHECK(may_take_again({2, "n1", 10}, "n1", {3, 10}).result == taking::server_lost);
  CHECK(may_take_again({3, "n1", 9}, "n1", {3, 10}).result == taking::server_lost);
  CHECK(may_take_again({4, "n2", 9}, "n1", {3, 10}).result == taking::server_lost);
  CHECK(may_take_again({3, "n2", 10}, "n1", {3, 10}).result == taking::server_lost); // the same epoch, given twice
}

TEST_CASE(
  "what became of the row of a partition follows from how the transaction ended and from how many rows changed") {
  CHECK(what_was_taken(transaction_end::made, complete(2), 1).result == taking::taken);
  CHECK(what_was_taken(transaction_end::made, complete(2), 0).result == taking::moved);
  CHECK(what_was_taken(transaction_end::refused, refused_with("55P03", 1), 0).result == taking::busy);
  CHECK(what_was_taken(transaction_end::refused, refused_with("42501", 1), 0).result == taking::unreachable);
  CHECK(what_was_taken(transaction_end::unknown, complete(2), 1).result == taking::unreachable);
}

TEST_CASE("what is read after a taking counts only while nobody else has taken the partition") {
  CHECK(is_still_taken({4, "n1", 10}, "n1", {4, 10}).result == taking::taken);
  CHECK(is_still_taken({4, "n1", 11}, "n1", {4, 10}).result == taking::taken);
  CHECK(is_still_taken({5, "n2", 11}, "n1", {4, 10}).result == taking::moved); // 11 is of n2
  CHECK(is_still_taken({5, "n1", 11}, "n1", {4, 10}).result == taking::moved);
  CHECK(is_still_taken({4, "", 10}, "n1", {4, 10}).result == taking::moved);
  CHECK(is_still_taken({4, "n1", 9}, "n1", {4, 10}).result == taking::server_lost);
  CHECK(is_still_taken({3, "n1", 10}, "n1", {4, 10}).result == taking::server_lost);
}

TEST_CASE("the number of the last commit tells what became of the one in doubt") {
  CHECK(what_became_of_it(11, true, {3, 10}).result == resolving::made);
  CHECK(what_became_of_it(10, true, {3, 10}).result == resolving::not_made);
  CHECK(what_became_of_it(10, false, {3, 10}).result == resolving::not_made);
  CHECK(what_became_of_it(9, true, {3, 10}).result == resolving::server_lost);
  CHECK(what_became_of_it(12, true, {3, 10}).result == resolving::server_lost);
  CHECK(what_became_of_it(11, false, {3, 10}).result == resolving::server_lost);
}

TEST_CASE("a URL with several hosts is tried host by host, each with its port") {
  place p{"postgresql://ann@a,b:6000/work?connect_timeout=7", {}};
  CHECK(problems(p).empty());
  const auto each = servers_of(p);
  REQUIRE(each.size() == 2);
  CHECK(each[0].at("host") == "a");
  CHECK(each[1].at("host") == "b");
  CHECK(each[1].at("port") == "6000");
  CHECK(each[1].at("user") == "ann");
  CHECK(each_server({{"host", "a,b"}, {"port", "1,2"}})[1] == connection_options{{"host", "b"}, {"port", "2"}});
  CHECK(each_server({{"host", "a,b"}, {"port", "1"}})[1] == connection_options{{"host", "b"}, {"port", "1"}});
  CHECK(each_server({{"host", "a,b"}, {"port", "1,2,3"}}).empty());
  CHECK(each_server({{"host", "a"}, {"hostaddr", "1.2.3.4,1.2.3.5"}}).empty());
  CHECK(each_server({}).size() == 1);
  CHECK(name_of(each[1]) == "b:6000");
  CHECK(with_first(each, "b:6000") == std::vector{each[1], each[0]});
  CHECK(with_first(each, "c") == each);
}

TEST_CASE("a connection goes only to a server that takes writes, and shows signs of life as the user says") {
  const auto all = with_ours({{"target_session_attrs", "any"}, {"keepalives_idle", "9"}}, std::chrono::seconds{3});
  CHECK(all.at("target_session_attrs") == "read-write");
  CHECK(all.at("keepalives_idle") == "9");
  CHECK(all.at("tcp_user_timeout") == "3000");
}

TEST_CASE("no error text has a password in it") {
  CHECK(without_secrets("at ann:secret@a and secret", {"secret", ""}) == "at ann:***@a and ***");
  CHECK(mentions(without_secrets("a cat", {"c"}), "too short"));
  CHECK(without_secrets("a bat", {"c"}) == "a bat");
  const place broken{"postgresql://ann:s%zzcret@a/work", {}};
  REQUIRE(problems(broken).size() == 1);
  CHECK_FALSE(mentions(problems(broken)[0], "cret"));
  CHECK(mentions(problems(broken)[0], "it looks like postgresql://"));
  try {
    connection::open({"postgresql://ann:secret@127.0.0.1:1/work?sslcert=secret", "hidden"}, "the test", {},
                     std::chrono::steady_clock::now);
    FAIL("nobody listens there");
  } catch (const store::store_error& e) {
    CHECK(mentions(e.what(), "127.0.0.1:1: "));
    CHECK_FALSE(mentions(e.what(), "secret"));
    CHECK_FALSE(mentions(e.what(), "hidden"));
  }
}

TEST_CASE("the name of a schema is one that needs no quotes") {
  for (const auto* good : {"steadfast", "s", "team_a2"})
    CHECK(problems(place{"postgresql://a/b", {}, good}).empty());
  for (const auto* bad : {"", "Steadfast", "a b", "a;b", "2a", "pg_own", "a-b", "a234567890123456789012345678901"})
    CHECK(problems(place{"postgresql://a/b", {}, bad}).size() == 1);
}

TEST_CASE("row 103: a store of another version or product is refused with the command that mends it") {
  const store_card good{"steadfast", schema_version, "a store", 64};
  const auto what = [](store_card card) { return why_not_usable({true, true, card, {}, {}}, "s"); };
  CHECK(what(good).empty());
  CHECK(mentions(why_not_usable({}, "s"), "steadfast store init"));
  CHECK(mentions(why_not_usable({true, true, std::nullopt, {}, "ann"}, "s"), "alter schema s owner to ann"));
  CHECK(mentions(why_not_usable({true, true, std::nullopt, "no column", {}}, "s"), "no column"));
  auto other = good;
  other.product = "webshop";
  CHECK(mentions(what(other), "another product"));
  other = good;
  ++other.version;
  CHECK(mentions(what(other), "newer release"));
  other.version = schema_version - 1;
  CHECK(mentions(what(other), "steadfast store upgrade"));
  other = good;
  other.partitions = 0;
  CHECK(mentions(what(other), "damaged"));
  CHECK(why_not_made_here({}, "s").empty());
  CHECK(why_not_made_here({true, false, std::nullopt, {}, {}}, "s").empty());
  CHECK(mentions(why_not_made_here({true, true, good, {}, {}}, "s"), "already"));
}

TEST_CASE("numbers and arrays are sent as the server stores them") {
  using namespace std::string_literals;
  CHECK(number(-2).bytes == "\xff\xff\xff\xff\xff\xff\xff\xfe"s);
  CHECK(number_in(number(-2).bytes) == -2);
  CHECK(number_in("\xff\xfe"s) == -2);
  CHECK(number_in("\x01"s) == 1);
  CHECK(number_in("\xff\xff\xff\xfe"s) == -2);
  CHECK_THROWS_AS(number_in("abc"), store::store_error);
  CHECK(numbers({}).bytes == "\0\0\0\0\0\0\0\0\0\0\0\x14"s);
  CHECK(blobs({"ab"}).bytes == "\0\0\0\1\0\0\0\0\0\0\0\x11\0\0\0\1\0\0\0\1\0\0\0\2"s + "ab");
}

TEST_CASE("settings that make no sense are refused") {
  owner_settings s;
  s.where.url = "postgresql://a/b";
  CHECK(problems(s).size() == 1); // no names
  s.holder = "n1";
  s.identity = "a store";
  CHECK(problems(s).empty());
  s.take_lock_limit = s.limits.answer;
  CHECK(problems(s).size() == 1);
  CHECK(problems(session_limits{{}, {}}).size() == 2);
}
