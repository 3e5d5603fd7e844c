#include "workflow/task/endings.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace steadfast::workflow {

namespace {

constexpr std::uint64_t forgets_after = 4096; ///< endings
constexpr std::uint64_t assumed_well = 64;    ///< endings before the first
constexpr std::uint64_t known_after = 2 * endings_looked_at;
constexpr double margin_before = 0.5; ///< while little is known of what is usual
constexpr std::uint64_t slower_while_unusual = 16;
constexpr double deviations = 5;

bool is_wanted_by_person(const task& t) {
  return std::any_of(t.acts.begin(), t.acts.end(), [](const act& a) { return a.what == "cancel" || a.what == "undo"; });
}

double usual_of(const endings& e) {
  return static_cast<double>(e.usual) / static_cast<double>(whole_share);
}

double margin_of(const endings& e, const share_rules& rules) {
  const auto wanted = rules.margin_percent / 100.0;
  if (e.count < known_after)
    return std::max(wanted, margin_before);
  const auto usual = usual_of(e);
  return std::max(wanted, deviations * std::sqrt(usual * (1 - usual) / endings_looked_at));
}

/// Of those that are looked at no more: what begins just now is not usual yet.
void learn(endings& e, bool failed) {
  auto weight = std::min(e.count - endings_looked_at + assumed_well, forgets_after);
  if (is_unusual(e, {}, false))
    weight *= slower_while_unusual;
  e.usual = failed ? e.usual + (whole_share - e.usual) / weight : e.usual - e.usual / weight;
}

double share_of_last(const endings& e, std::uint32_t max) {
  const auto x = failed_of_last(e, max);
  return x.ended == 0 ? 0.0 : static_cast<double>(x.failed) / x.ended;
}

} // namespace

std::optional<ending> ending_of(process_state before, const task& next) {
  if (before == next.state)
    return std::nullopt;
  if (next.state == process_state::processed)
    return ending::well;
  const bool failed = next.state == process_state::undone || next.state == process_state::error;
  return failed && !is_wanted_by_person(next) ? std::optional{ending::failed} : std::nullopt;
}

share_rules in_partition(share_rules of_all, std::uint32_t partitions) {
  constexpr std::uint32_t few = 10; // of fewer the share is mere chance
  const auto share = (of_all.at_least - 1) / partitions + 1;
  of_all.at_least = std::min(of_all.at_least, std::max(share, few));
  return of_all;
}

void count_ending(endings& e, ending how) {
  if (e.count >= endings_looked_at)
    learn(e, (e.last.back() >> 63U) != 0);
  for (auto i = e.last.size(); --i > 0;)
    e.last.at(i) = (e.last.at(i) << 1U) | (e.last.at(i - 1) >> 63U);
  e.last[0] = (e.last[0] << 1U) | (how == ending::failed ? 1U : 0U);
  ++e.count;
}

failed_of failed_of_last(const endings& e, std::uint32_t max) {
  failed_of x;
  x.ended = static_cast<std::uint32_t>(std::min<std::uint64_t>({e.count, max, endings_looked_at}));
  auto left = x.ended;
  for (std::size_t i = 0; i < e.last.size() && left > 0; ++i) {
    const auto taken = std::min(left, 64U);
    const auto mask = taken == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << taken) - 1;
    x.failed += static_cast<std::uint32_t>(std::popcount(e.last.at(i) & mask));
    left -= taken;
  }
  return x;
}

bool is_unusual(const endings& e, const share_rules& rules, bool was) {
  if (e.count < rules.at_least)
    return false;
  const auto margin = margin_of(e, rules);
  const auto just_now = share_of_last(e, endings_just_now);
  if (was)
    return just_now > usual_of(e) + margin / 2;
  return just_now > usual_of(e) + margin && share_of_last(e, endings_looked_at) > usual_of(e) + margin;
}

} // namespace steadfast::workflow
