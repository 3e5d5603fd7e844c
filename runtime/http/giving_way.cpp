#include "runtime/http/giving_way.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace steadfast::runtime {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds waited_enough{1000}; ///< for the rest of a request, or until an answer is taken

/// Empty: none has.
std::string_view network_with_most(const std::list<http_connection*>& all) {
  std::map<std::string_view, std::size_t> held;
  for (const auto* c : all)
    if (++held[c->network()] > all.size() / 2)
      return c->network();
  return {};
}

template <class Belongs>
http_connection* first_of(const std::list<http_connection*>& all, std::chrono::steady_clock::time_point until,
                          Belongs belongs) {
  http_connection* idle = nullptr;
  http_connection* slow = nullptr;
  for (auto* c : all) {
    const auto w = belongs(*c) ? c->waits() : std::nullopt;
    if (!w || (!w->is_idle && w->since > until))
      continue;
    auto*& first = w->is_idle ? idle : slow;
    if (first == nullptr || w->since < first->waits()->since)
      first = c;
  }
  return idle != nullptr ? idle : slow;
}

/// Of the network that keeps the node waiting on most connections; null: the newcomer's would then have more of these.
http_connection* of_largest_share(const std::list<http_connection*>& all, const std::string& newcomer,
                                  std::chrono::steady_clock::time_point now) {
  std::map<std::string_view, std::size_t> held;
  for (const auto* c : all)
    if (c->waits())
      ++held[c->network()];
  const auto least = held[newcomer] + 2;
  const auto most =
    std::max_element(held.begin(), held.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most->second < least)
    return nullptr;
  return first_of(all, now, [&](const http_connection& x) { return x.network() == most->first; });
}

} // namespace

http_connection* to_give_way(const std::list<http_connection*>& all, const std::string& newcomer,
                             std::chrono::steady_clock::time_point now) {
  if (const auto most = network_with_most(all); !most.empty()) {
    const bool is_own = newcomer == most;
    auto* const c =
      first_of(all, is_own ? now - waited_enough : now, [&](const http_connection& x) { return x.network() == most; });
    if (c != nullptr || is_own)
      return c;
  }
  auto* const c = first_of(all, now - waited_enough, [](const http_connection&) { return true; });
  return c != nullptr ? c : of_largest_share(all, newcomer, now);
}

} // namespace steadfast::runtime
