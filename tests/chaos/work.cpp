#include "tests/chaos/work.hpp"

#include "tests/chaos/chaos.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace chaos {

namespace {

using namespace std::chrono_literals;
using milliseconds = std::chrono::milliseconds;

constexpr std::uint32_t orders_at_a_time = 2;    ///< of a customer, as order.toml says
constexpr std::uint32_t orders_per_ms = 1000;    ///< likewise: within this time no more begin
constexpr std::uint32_t rest_ms = 200;           ///< likewise: how long the step `rest` sleeps
constexpr std::uint64_t shared_key_percent = 10; ///< of orders: two of them wait for one event

constexpr std::uint32_t calls_of_screen = 8; ///< at most, as draft.toml says

std::vector<schedule> schedules_of_rounds() {
  return {{"round-skip", "round", 1s, "skip"},
          {"round-queue", "round", 1s, "queue"},
          {"round-allow", "round", 2s, "allow"},
          {"round-cancel", "round", 1s, "cancel"}};
}

class maker {
public:
  explicit maker(const options& o) : options_{o}, chance_{o.seed} {}

  work make() {
    const auto count = options_.rate * static_cast<std::uint64_t>(options_.lasts.count());
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!later_.empty() && later_.begin()->first <= i)
        add_version();
      else if (below(100) < options_.orders_percent)
        add_order(i);
      else if (below(100) < options_.drafts_percent)
        add_draft(i);
      else
        add_parcel(i);
    }
    made_.ids = made_.submissions.size() - versions_;
    made_.schedules = schedules_of_rounds();
    return std::move(made_);
  }

private:
  std::uint64_t below(std::uint64_t bound) { return chance_() % bound; } // not a distribution: those differ

  void add_parcel(std::uint64_t i) {
    const auto* customer = below(100) < 2 ? "suspended" : "customer";
    const auto number = below(400);
    const auto payload = fmt::format(R"({{"customer": "{}-{}", "weight_kg": {}}})", customer, number, 1 + below(20));
    made_.submissions.push_back({fmt::format("parcel-{:06}", i + 1), "parcel", payload, ""});
  }

  /// Its other submissions come within the next second, some of them at once.
  void add_draft(std::uint64_t i) {
    demo::submission s{fmt::format("draft-{:06}", i + 1), "draft", "", ""};
    s.calls = {{"screen", calls_of_screen}};
    const auto customer = below(400);
    const auto versions = 2 + below(4);
    for (std::uint64_t n = 1; n <= versions; ++n) {
      s.mark = fmt::format("{}#{}", s.id, n);
      s.payload =
        fmt::format(R"({{"customer": "customer-{}", "weight_kg": {}, "mark": "{}"}})", customer, 1 + below(20), s.mark);
      draw_wish(s);
      if (n == 1)
        made_.submissions.push_back(s);
      else
        later_.emplace(i + 1 + below(below(3) == 0 ? 4 : options_.rate), s);
    }
  }

  void draw_wish(demo::submission& s) {
    using steadfast::on_conflict;
    const auto drawn = below(100);
    s.conflict = drawn < 75 ? on_conflict::replace : drawn < 90 ? on_conflict::refuse : on_conflict::same;
    s.debounce = drawn < 50 ? 300ms + milliseconds{below(1200)} : 0ms;
  }

  void add_version() {
    made_.submissions.push_back(std::move(later_.begin()->second));
    later_.erase(later_.begin());
    ++versions_;
  }

  /// Its id is where its customer is, in whichever partition.
  void add_order(std::uint64_t i) {
    const auto customers = 4 + 2 * options_.rate * options_.orders_percent / 100;
    const auto customer = fmt::format("c-{}", below(customers));
    const bool shares_key = !made_.payments.empty() && below(100) < shared_key_percent;
    const auto key = shares_key ? made_.payments.back().key : fmt::format("o-{}", i + 1);
    const auto items = 1 + below(3);
    std::string list;
    for (std::uint64_t n = 0; n < items; ++n)
      list += fmt::format(R"({}{{"sku": "ware-{}", "quantity": 1, "address": "{} Harbour Street"}})",
                          n == 0 ? "" : ", ", below(50), 1 + below(200));
    demo::submission s{fmt::format("{}/order-{:06}", customer, i + 1), "order",
                       fmt::format(R"({{"customer": "{}", "order": "{}", "amount": {}, "items": [{}]}})", customer, key,
                                   10 + below(90), list),
                       ""};
    s.items = {{"parcels", static_cast<std::uint32_t>(items)}};
    s.limit_key = customer;
    s.limit = orders_at_a_time;
    s.limit_per_ms = orders_per_ms;
    s.sleeps = {{"rest", rest_ms}};
    if (shares_key)
      for (auto& p : made_.payments)
        if (p.key == key)
          p.tasks.push_back(s.id);
    if (!shares_key)
      add_payments(key, s.id, milliseconds{1000 * i / options_.rate});
    made_.submissions.push_back(std::move(s));
  }

  /// What is drawn last is never paid.
  void add_payments(const std::string& key, const std::string& task, milliseconds turn) {
    const auto early = std::max(0ms, turn - milliseconds{below(300)});
    const auto drawn = below(100);
    const auto add = [&](int number, milliseconds due, bool twice) {
      made_.payments.push_back({key, fmt::format("{}-{}", key, number), {task}, due, twice});
    };
    if (drawn < 45)
      add(1, early, false);
    else if (drawn < 70)
      add(1, turn + 500ms + milliseconds{below(4000)}, false);
    else if (drawn < 82)
      add(1, early, true);
    else if (drawn < 92) {
      add(1, early, false);
      add(2, early, false);
    } else if (drawn < 96)
      add(1, turn + 11s + milliseconds{below(4000)}, false); // about when the wait has come to its limit
  }

  const options& options_;
  std::mt19937_64 chance_;
  std::multimap<std::uint64_t, demo::submission> later_; ///< by turn
  std::size_t versions_ = 0;
  work made_;
};

} // namespace

work make_work(const options& o) {
  return maker{o}.make();
}

} // namespace chaos
