// A store of three partitions on a server: each has its own owner's epoch, and who has the first has all.

#include "store/joined/joined_store.hpp"
#include "store/joined/partition_files.hpp"
#include "store/partitions/postgres_engine.hpp"
#include "store/partitions/postgres_store.hpp"
#include "store/postgres/partition.hpp"
#include "tests/postgres/nodes.hpp"
#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/store/support.hpp"
#include "workflow/supervision/shares.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace steadfast::store::test {

using namespace tests;

namespace {

constexpr int tasks = 30;

std::string id_of(int i) {
  return "t" + std::to_string(i);
}

/// One who has the store, or waits for it.
class on_three {
public:
  on_three(const std::string& url, const std::string& holder) {
    options_.where.url = url;
    options_.holder = holder;
    options_.lease = std::chrono::seconds{1};
    options_.limits = small_options(folder_.path() / "memory");
  }

  std::vector<std::shared_ptr<local_store>> open(const std::atomic<bool>& gives_up) const {
    return open_postgres_store(options_, std::chrono::steady_clock::now, [&](auto, const no_turn&) {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
      return !gives_up;
    });
  }
  std::vector<std::shared_ptr<local_store>> open() const { return open(false); }

private:
  temp_folder folder_;
  postgres_store_options options_;
};

using counts = std::vector<std::uint32_t>;

/// A process that has some of the three, and waits for the others.
class with_a_share {
public:
  with_a_share(const std::string& url, const std::string& holder) : turns_{options(url, holder), clock_type::now} {
    for (std::uint32_t p = 0; p < 3; ++p)
      turn_[p] = turns_.wait_for(p);
  }

  /// True: it has it now.
  bool look(std::uint32_t p) {
    engine_[p] = turn_[p]->look({has(), true, true}, last_);
    if (engine_[p])
      turn_[p].reset();
    return engine_[p] != nullptr;
  }
  void look_at_all() {
    for (std::uint32_t p = 0; p < 3; ++p)
      if (!engine_[p])
        look(p);
  }
  void let_go(std::uint32_t p) {
    engine_[p]->let_go();
    engine_[p].reset();
    turn_[p] = turns_.wait_for(p);
  }
  std::uint32_t has() const {
    return static_cast<std::uint32_t>(std::count_if(engine_.begin(), engine_.end(), [](auto& e) { return !!e; }));
  }
  postgres_engine& in(std::uint32_t p) { return *engine_[p]; }
  /// A session that has ended is seen for a moment longer.
  bool comes_to_be_awaited_by(std::uint32_t p, const counts& by) {
    return comes_true([&] { return engine_[p]->awaited_by() == by; });
  }
  const no_turn& last() const { return last_; }

private:
  using clock_type = std::chrono::steady_clock;

  postgres_store_options options(const std::string& url, const std::string& holder) const {
    postgres_store_options o;
    o.where.url = url;
    o.holder = holder;
    o.lease = std::chrono::minutes{5}; // none is ever taken for dead
    o.limits = small_options(folder_.path() / "memory");
    return o;
  }

  temp_folder folder_;
  partition_turns turns_;
  std::array<std::unique_ptr<partition_turn>, 3> turn_;
  std::array<std::unique_ptr<postgres_engine>, 3> engine_;
  no_turn last_;
};

void submit_all(state_store& s) {
  REQUIRE(s.commit_one(register_definition{delivery()}).result == write_status::applied);
  for (int i = 0; i < tasks; ++i)
    REQUIRE(s.commit_one(submit_task{order(id_of(i)), at(0)}).created);
}

} // namespace

TEST_CASE("a store on a server keeps each task in the partition that its id says, and all are there for the next") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url(), 3);
  const on_three first{server.url(), "n1"};
  submit_all(*as_one(first.open()));
  const on_three second{server.url(), "n2"};
  const auto partitions = second.open();
  REQUIRE(partitions.size() == 3);
  for (const auto& p : partitions)
    CHECK_FALSE(p->list({}, {}, 1).tasks.empty());
  const auto all = as_one(partitions);
  for (int i = 0; i < tasks; ++i) {
    const auto t = all->find(id_of(i));
    REQUIRE(t);
    CHECK(partitions[t->number % 3]->find(id_of(i)));
    CHECK_FALSE(all->commit_one(submit_task{order(id_of(i)), at(0)}).created);
  }
  CHECK(all->list({}, {}, 100).tasks.size() == tasks);
  CHECK(all->check().faults == std::vector<std::string>{});
  const temp_folder folder;
  all->copy(folder.path() / "copy");
  auto options = small_options(folder.path() / "copy");
  const auto copy = open_store_files(options);
  CHECK(copy->list({}, {}, 100).tasks.size() == tasks);
  CHECK(copy->check().faults == std::vector<std::string>{});
}

TEST_CASE("row 147: who lost one partition of a server writes nothing more there, and others of it are not harmed") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url(), 3);
  const on_three first{server.url(), "n1"};
  const auto partitions = first.open();
  REQUIRE(partitions.size() == 3);
  for (const auto& p : partitions)
    p->commit({register_definition{delivery()}});
  postgres::partition thief{1, owner(server.url(), "thief"), std::chrono::steady_clock::now};
  REQUIRE(thief.take(seen(server.url(), 1)).result == postgres::taking::taken);
  const auto write_to = [&](std::size_t i) { return partitions[i]->commit_one(submit_task{order("x"), at(0)}); };
  CHECK_THROWS_AS(write_to(1), store_error);
  CHECK(write_to(0).created);
  CHECK(write_to(2).created);
}

TEST_CASE("row 147: of two who wait for a store of three partitions one gets all, and nobody has some of them") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url(), 3);
  const on_three first{server.url(), "n0"};
  auto has = first.open();
  submit_all(*as_one(has));
  std::vector<std::unique_ptr<on_three>> waiting; // whose folders are in use as long as they have the store
  for (int i = 0; i < 3; ++i) {
    std::atomic<bool> gives_up = false;
    std::vector<std::future<std::vector<std::shared_ptr<local_store>>>> ends;
    for (int w = 0; w < 2; ++w) {
      const auto& who =
        *waiting.emplace_back(std::make_unique<on_three>(server.url(), "n" + std::to_string(1 + waiting.size())));
      ends.push_back(std::async(std::launch::async, [&] { return who.open(gives_up); }));
    }
    CHECK(comes_true([&] {
      return std::stoi(server.sql({"select count(*) from pg_stat_activity where application_name like 'steadfast waits "
                                   "for %'"}))
             == 6; // each of them for each partition
    }));
    has.clear();
    const auto has_ended = [](const auto& f) {
      return f.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
    };
    CHECK(comes_true([&] { return has_ended(ends[0]) || has_ended(ends[1]); }));
    gives_up = true;
    auto of_one = ends[0].get();
    auto of_other = ends[1].get();
    CHECK(of_one.size() + of_other.size() == 3);
    CHECK((of_one.empty() || of_other.empty()));
    CHECK(server.sql({"select count(distinct holder) from steadfast.partition_owner"}) == "1");
    has = of_one.empty() ? std::move(of_other) : std::move(of_one);
    CHECK(as_one(has)->list({}, {}, 100).tasks.size() == tasks);
  }
}

TEST_CASE("a partition that is let go goes to who has fewer, who is seen to wait with what he has") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url(), 3);
  with_a_share first{server.url(), "n1"};
  first.look_at_all();
  REQUIRE(first.has() == 3);
  with_a_share second{server.url(), "n2"};
  second.look_at_all();
  REQUIRE(second.has() == 0);
  CHECK(second.last().holder == "n1");
  CHECK(second.last().partitions == 3);
  for (std::uint32_t p = 0; p < 3; ++p)
    CHECK(first.comes_to_be_awaited_by(p, {0}));
  CHECK(workflow::should_let_go(first.has(), first.in(0).awaited_by()));
  first.in(2).commit({register_definition{delivery()}});
  first.let_go(2);
  CHECK_FALSE(first.look(2));
  REQUIRE(second.look(2));
  CHECK(second.in(2).find_definition("delivery", 1));
  CHECK_FALSE(first.look(2));
  CHECK(first.last().holder == "n2");
  CHECK(second.comes_to_be_awaited_by(2, {2}));

  const auto session_of = [&](const std::string& name) {
    return server.sql({"select pid from pg_stat_activity where application_name = '" + name + "'"});
  };
  const auto before = session_of("steadfast waits for steadfast partition 1");
  second.look_at_all();
  CHECK(first.comes_to_be_awaited_by(0, {1}));
  CHECK(first.comes_to_be_awaited_by(1, {1}));
  CHECK(session_of("steadfast waits for steadfast 1 has 1") == before);
  CHECK_FALSE(workflow::should_let_go(first.has(), first.in(0).awaited_by()));
  CHECK_FALSE(workflow::should_let_go(second.has(), second.in(2).awaited_by()));
}

TEST_CASE("a partition that who has fewer does not take is taken by another after two looks") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url(), 3);
  with_a_share first{server.url(), "n1"};
  first.look_at_all();
  with_a_share second{server.url(), "n2"};
  second.look_at_all(); // and never again
  first.let_go(1);
  CHECK_FALSE(first.look(1));
  CHECK_FALSE(first.look(1));
  CHECK(first.look(1));
  CHECK(first.in(1).commit({register_definition{delivery()}}).front().result == write_status::applied);
}

TEST_CASE("row 86: of those who wait for a partition only those who have the fewest read it before it is let go") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url(), 3);
  with_a_share first{server.url(), "n1"};
  with_a_share second{server.url(), "n2"};
  with_a_share third{server.url(), "n3"};
  REQUIRE(first.look(1));
  REQUIRE(second.look(2));
  postgres::place where;
  where.url = server.url();
  auto leaving = std::optional{
    postgres::connection::open(where, postgres::name_of_leaving("steadfast", 1), {}, std::chrono::steady_clock::now)};
  auto asks = postgres::connection::open(where, "the test", {}, std::chrono::steady_clock::now);
  const auto are_ready = [&] { return postgres::ready(asks, "steadfast", 1); };
  CHECK_FALSE(third.look(1));
  CHECK_FALSE(second.look(1));
  CHECK(are_ready() == counts{0});
  with_a_share late{server.url(), "n4"};
  leaving.reset();
  first.let_go(1);
  CHECK_FALSE(late.look(1)); // who has read it comes first
  CHECK_FALSE(second.look(1));
  CHECK(third.look(1));
  CHECK(comes_true([&] { return are_ready().empty(); }));
}

TEST_CASE("how many partitions those who wait have is seen with the longest name of a schema, too") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const std::string schema = "a_schema_with_the_longest_name";
  postgres::place where;
  where.url = server.url();
  where.schema = schema;
  REQUIRE(postgres::problems(where).empty());
  const auto named = [&](const std::string& name) {
    return postgres::connection::open(where, name, {}, std::chrono::steady_clock::now);
  };
  const auto last = workflow::partitions_max - 1;
  std::vector<postgres::connection> sessions;
  for (const auto& name :
       {postgres::name_of_ready(schema, last, last), postgres::name_of_waiting(schema, last, 1),
        postgres::name_of_waiting(schema, last), postgres::name_of_waiting(schema, 6, 3),
        postgres::name_of_last(schema, last, 5), postgres::name_of_waiting("b" + schema.substr(1), last, 7)})
    sessions.push_back(named(name));
  auto asks = named(postgres::name_of_waiting(schema, 6, 9)); // and does not count itself
  CHECK(postgres::waiting(asks, schema, last) == counts{0, 1, last});
  CHECK(postgres::ready(asks, schema, last) == counts{last});
  CHECK(postgres::waiting(asks, schema, 6) == counts{3});
  CHECK(postgres::waiting(asks, schema, 0).empty());
}

TEST_CASE("row 92: the time in which a server could not be asked is no silence of the owner") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  postgres_server server;
  make_store(server.url(), 1);
  postgres::partition silent{0, owner(server.url(), "n1"), std::chrono::steady_clock::now};
  REQUIRE(silent.take(seen(server.url())).result == postgres::taking::taken);
  const temp_folder folder;
  postgres_store_options options;
  options.where.url = server.url();
  options.holder = "n2";
  options.lease = std::chrono::milliseconds{1000};
  options.limits = small_options(folder.path() / "memory");
  std::chrono::steady_clock::time_point now{std::chrono::hours{1}}; // moves on between two looks only
  int looks = 0;
  int looks_since = 0; // at the owner, since the server was back
  const auto wait = [&](auto, const no_turn& t) {
    now += std::chrono::milliseconds{300};
    ++looks;
    if (looks == 2)
      server.kill();
    if (looks == 10)
      server.start();
    CHECK(t.holder.empty() == (looks > 2 && looks <= 10));
    looks_since += looks > 10 ? 1 : 0;
    return looks < 30;
  };
  const auto store = open_postgres_store(
    options, [&now] { return now; }, wait);
  CHECK(store.size() == 1);
  CHECK(looks_since == 4); // a lease long
}

TEST_CASE("row 147: when a node that has three partitions of a server is killed, one that waits goes on with all") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  const auto made = run_program(STEADFAST_BINARY, {"store", "init", "--url", server.url(), "--partitions", "3"});
  REQUIRE(made.code == 0);
  node_on_a_server first{"n1", server.url()};
  const node_on_a_server second{"n2", server.url()};
  first.start();
  auto successor = second.waiting();
  std::set<std::string> all;
  for (int i = 0; i < tasks; ++i) {
    all.insert(id_of(i));
    REQUIRE(first.submit(id_of(i)));
  }
  first.kill();
  REQUIRE(successor->says("is ready", hang_limit));
  CHECK(comes_true([&] { return second.processed() == all; }));
  CHECK(second.submit(id_of(3))); // the same again is the same task
  const auto numbers = second.json_of({"store", "stat", "--json"}).at(0).at("last_numbers");
  CHECK(numbers.size() == 3);
  for (const auto& n : numbers)
    CHECK(n > 0);
  CHECK(second.processed() == all);
  successor->signal(SIGTERM);
  CHECK(successor->wait(hang_limit) == 0);
  CHECK(server.sql({"select count(*) from steadfast.partition_owner where holder <> ''"}) == "0");
}

TEST_CASE(
  "row 147: the partitions of a store are spread over its nodes, and those of one that is killed over the rest") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url(), 3);
  const cluster_on_a_server c{server.url()};
  const auto agents = c.agents_alone("partitions = 3\n");
  std::set<std::string> all;
  const auto submit = [&](const std::string& name, const std::vector<std::size_t>& to) {
    for (std::size_t i = 0; i < 12; ++i) {
      const auto id = name + std::to_string(i);
      all.insert(id);
      REQUIRE(comes_true([&] { return c.nodes[to[i % to.size()]]->submit(id); }));
    }
  };
  const auto are_processed_at = [&](std::size_t node) {
    return comes_true([&] { return c.nodes[node]->processed() == all; });
  };
  submit("a", {0, 1, 2});
  REQUIRE(is_spread(server, 3));
  const auto are_told_by = [&](const node_process& asked) {
    std::multiset<std::size_t> told;
    for (const auto& n : asked.json_of({"node", "list", "--json"}))
      for (const auto& number : n.at("partitions"))
        if (shares(server).at(n.at("name")) == 1)
          told.insert(number.get<std::size_t>());
    return told == std::multiset<std::size_t>{0, 1, 2};
  };
  for (const auto& node : c.nodes)
    CHECK(comes_true([&] { return are_told_by(*node); }));
  CHECK(comes_true([&] { return are_told_by(*agents); })); // which has none itself
  submit("b", {0, 1, 2});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(are_processed_at(i));
    const auto stats = c.nodes[i]->json_of({"store", "stat", "--json"}).at(0);
    CHECK(stats.at("last_numbers").size() == 3); // who follows events counts by that
  }
  CHECK(comes_true([&] { return agents->json_of({"node", "list", "--json"}).size() == 4; }));
  const auto checked = c.nodes[0]->json_of({"store", "check", "--json"}).at(0);
  CHECK(checked.at("faults").empty());
  CHECK(checked.at("partitions_elsewhere").size() == 2);
  c.nodes[1]->kill();
  submit("c", {0, 2});
  CHECK(comes_true([&] {
    const auto now = shares(server);
    return now.size() == 2 && !now.contains("n2");
  }));
  CHECK(are_processed_at(0));
  CHECK(are_processed_at(2));
  c.nodes[1]->start();
  CHECK(is_spread(server, 3));
  submit("d", {1});
  c.nodes[0]->process().signal(SIGTERM);
  CHECK(c.nodes[0]->process().wait(hang_limit) == 0);
  submit("e", {1, 2});
  CHECK(are_processed_at(1));
  CHECK(are_processed_at(2));
}

TEST_CASE("row 147: what is asked of all partitions acts once in each, whichever node has it") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  init_store(server.url(), 3);
  const cluster_on_a_server c{server.url()};
  REQUIRE(is_spread(server, 3));
  const std::string wait = "\nwait = { event = \"go\", key = \"payload:/k\", limit = \"1h\" }\n";
  c.nodes[0]->folder().write("waits.toml",
                             "name = \"waits\"\n[[step]]\nname = \"one\"" + wait + "[[step]]\nname = \"two\"" + wait);
  const auto file = (c.nodes[0]->folder().path() / "waits.toml").string();
  REQUIRE(comes_true([&] { return c.nodes[0]->command({"workflow", "register", file}).code == 0; }));
  constexpr std::size_t nine = 9;
  const auto id_at = [](std::size_t i) { return "w" + std::to_string(i); };
  for (std::size_t i = 0; i < nine; ++i)
    REQUIRE(comes_true([&] {
      return c.nodes[i % 3]->command({"submit", "waits", "--id", id_at(i), "--data", R"({"k":"x"})"}).code == 0;
    }));
  const auto shown = [&](std::size_t i) { return c.nodes[0]->json_of({"task", "show", id_at(i), "--json"}).at(0); };
  const auto all_are = [&](const std::string& one, const std::string& two) {
    return comes_true([&] {
      for (std::size_t i = 0; i < nine; ++i)
        if (const auto t = shown(i); t.at("steps").at(0).at("state") != one || t.at("steps").at(1).at("state") != two)
          return false;
      return true;
    });
  };
  REQUIRE(all_are("waiting", "not_started"));
  const auto first = c.nodes[1]->command({"event", "send", "go", "--key", "x", "--data", "1"});
  CHECK_THAT(first.out, Contains("9 tasks took it"));
  CHECK(all_are("completed", "waiting")); // it is not there a second time
  CHECK(c.nodes[2]->json_of({"event", "list", "--json"}).size() == 1);

  const auto to_one = [&](std::size_t node) {
    return c.nodes[node]->command({"event", "send", "go", "--task", "w0", "--id", "for-w0", "--data", "2"}).out;
  };
  CHECK_THAT(to_one(2), Contains("1 task took it"));
  CHECK_THAT(to_one(1), Contains("was sent before"));

  const auto suspended = c.nodes[2]->command({"task", "suspend", "--where", "state=pending", "--yes", "--why", "once"});
  CHECK_THAT(suspended.out, Contains("8 done"));
  CHECK(c.nodes[1]->json_of({"bulk", "list", "--all", "--json"}).size() == 1);
  for (std::size_t i = 1; i < nine; ++i)
    CHECK(shown(i).at("acts").size() == 1);
}

} // namespace steadfast::store::test
