#include "runtime/http/refused_callers.hpp"

#include <utility>

namespace steadfast::runtime {

namespace {

constexpr std::chrono::minutes told_every{1};
constexpr std::size_t peers_max = 1000; ///< told apart; the others are told of together
constexpr const char* other_peers = "further addresses";

} // namespace

void refused_callers::add(const std::string& peer, const std::string& why, steady now) {
  const std::lock_guard lock{mutex_};
  const bool is_known = of_peers_.size() < peers_max || of_peers_.contains(peer);
  const auto [place, is_new] = of_peers_.try_emplace(is_known ? peer : other_peers);
  auto& r = place->second;
  ++r.untold;
  r.why = why;
  if (is_new || now - r.told_at >= told_every)
    tell(place->first, r, now);
}

void refused_callers::tell_rest(steady now) {
  const std::lock_guard lock{mutex_};
  for (auto at = of_peers_.begin(); at != of_peers_.end();) {
    auto& r = at->second;
    const bool is_over = now - r.told_at >= told_every;
    if (is_over && r.untold == 0) {
      at = of_peers_.erase(at);
      continue;
    }
    if (is_over)
      tell(at->first, r, now);
    ++at;
  }
}

void refused_callers::tell(const std::string& peer, refusals& r, steady now) const {
  const auto times = std::to_string(std::exchange(r.untold, 0));
  r.told_at = now;
  tell_({"warning",
         "http: " + peer + " was not authenticated" + (times == "1" ? "" : ", " + times + " times") + ": " + r.why,
         "http authentication failed",
         {{"peer", peer}, {"times", times}, {"why", r.why}}});
}

} // namespace steadfast::runtime
