// Several take a partition from one another, and their connections are cut.

#include "tests/postgres/server.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

using namespace steadfast;
using namespace steadfast::store::postgres;
using namespace steadfast::tests;

namespace {

/// Takes the partition whoever has it, writes a few commits, and keeps what it was told of each.
class rival {
public:
  rival(const std::string& url, int number)
      : url_{url},
        number_{number},
        partition_{0, owner(url, "rival " + std::to_string(number)), std::chrono::steady_clock::now},
        thread_{[this] { run(); }} {}

  void end() {
    is_over_ = true;
    thread_.join();
  }

  std::set<std::int64_t> made, not_made;
  std::atomic<int> doubts{0};
  std::atomic<int> losses{0};
  std::atomic<bool> is_in_trouble{false};
  std::string trouble; ///< what no rival may ever be told

private:
  void run() {
    while (!is_over_ && trouble.empty())
      try {
        if (partition_.take(seen(url_)).result == taking::taken)
          write();
      } catch (const std::runtime_error&) {
        continue; // it was cut off while it looked who has the partition
      }
  }

  /// One, two or three at a time.
  void write() {
    for (int i = 0; i < 40 && partition_.is_owned(); ++i) {
      const auto first = last_ + 1;
      while (std::cmp_less_equal(partition_.under_way(), i % 3)) {
        partition_.begin_append(one(task_of(++last_), "x"));
      }
      for (auto n = first; n <= last_; ++n) {
        const auto answer = partition_.end_append();
        if (answer.result == appending::applied)
          made.insert(task_of(n));
        else if (answer.result == appending::unknown)
          find_out(std::exchange(n, last_));
        else
          for (; n <= last_; ++n)
            not_made.insert(task_of(n));
      }
    }
    losses += partition_.is_owned() ? 0 : 1;
    if (partition_.is_owned())
      partition_.release();
  }

  std::int64_t task_of(std::int64_t n) const { return n * 10 + number_; }

  /// Of that one and the later ones.
  void find_out(std::int64_t n) {
    ++doubts;
    auto made_of_them = -partition_.known().commit;
    const auto found = resolve_surely(partition_);
    made_of_them += partition_.known().commit;
    if (found.result == resolving::made || found.result == resolving::not_made)
      for (; n <= last_; ++n)
        (made_of_them-- > 0 ? made : not_made).insert(task_of(n));
    else if (found.result != resolving::lost) { // of which nothing is known
      trouble = found.why.empty() ? "no answer" : found.why;
      is_in_trouble = true;
    }
  }

  std::string url_;
  int number_;
  partition partition_;
  std::int64_t last_ = 0;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

} // namespace

TEST_CASE("row 88: owners who take a partition from one another while they are cut off are told the truth") {
  if (const auto why = postgres_server::why_not(); !why.empty())
    return skip(why);
  const postgres_server server;
  make_store(server.url());
  std::vector<std::unique_ptr<rival>> rivals;
  for (int i = 0; i < 3; ++i)
    rivals.push_back(std::make_unique<rival>(server.url(), i));
  const auto has_been_tried = [&] {
    int doubts = 0;
    int losses = 0;
    for (const auto& r : rivals) {
      if (r->is_in_trouble)
        return true;
      doubts += r->doubts;
      losses += r->losses;
    }
    return doubts >= 6 && losses >= 6;
  };
  CHECK(comes_true([&] {
    server.sql({"select pg_terminate_backend(pid) from pg_stat_activity where application_name like '% partition 0'"
                " and query like 'insert%' and random() < 0.3"});
    return has_been_tried();
  }));
  for (auto& r : rivals)
    r->end();

  std::multiset<std::int64_t> there;
  std::istringstream found{
    server.sql({"select string_agg(split_part(convert_from(changes, 'UTF8'), ' ', 1), ' ') from"
                " (select changes from steadfast.log_0_0 union all select changes from steadfast.log_0_1) l"})};
  for (std::int64_t task = 0; found >> task;)
    there.insert(task);
  std::size_t made = 0;
  for (const auto& r : rivals) {
    CHECK(r->trouble.empty());
    for (const auto task : r->made)
      CHECK(there.count(task) == 1);
    for (const auto task : r->not_made)
      CHECK(there.count(task) == 0);
    made += r->made.size();
  }
  CHECK(made > 0);
  CHECK(server.sql({"select count(*) = count(distinct commit_number) and count(*) = max(commit_number)"
                    " from (select commit_number from steadfast.log_0_0) l"})
        == "t"); // each number once, without a gap
}
