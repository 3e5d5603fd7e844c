#include "examples/checker/rules/rules.hpp"

#include <algorithm>

// E19, E20: what must not come too early, by the clock of the store.

namespace checker {

void check_sleeps(const sorted_history& h, const task_case& c, finding& e19) {
  const auto& t = *c.task;
  const auto client = h.all().clients.find(t.id);
  if (client == h.all().clients.end() || t.acts > 0)
    return;
  for (const auto& s : t.steps) {
    const auto length = client->second.sleeps.find(s.name);
    if (length == client->second.sleeps.end())
      continue;
    for (const auto& a : s.log)
      if (a.succeeded && a.started_ms && a.ended_ms)
        e19.expect(*a.ended_ms - *a.started_ms >= length->second, [&] {
          return "task " + h.text(t.id) + " step " + h.text(s.name) + " slept for "
                 + std::to_string(*a.ended_ms - *a.started_ms) + " ms, and not for " + std::to_string(length->second);
        });
  }
}

void beginnings::note(const task_case& c, finding& e20) {
  const auto& t = *c.task;
  const auto client = h_.all().clients.find(t.id);
  if (client == h_.all().clients.end() || client->second.limit_per_ms == 0)
    return;
  const bool was_called = std::any_of(t.steps.begin(), t.steps.end(), [](const step& s) { return !s.log.empty(); });
  e20.expect(t.began_ms || !was_called,
             [&] { return "task " + h_.text(t.id) + " has begun, and the store does not say when"; });
  auto& g = groups_[client->second.limit_key];
  g.limit = client->second.limit;
  g.per_ms = client->second.limit_per_ms;
  if (t.began_ms)
    g.begun_ms.push_back(*t.began_ms);
}

void beginnings::check_rates(finding& e20) {
  for (auto& [key, g] : groups_) {
    auto& begun = g.begun_ms;
    std::sort(begun.begin(), begun.end());
    for (std::size_t i = 0; i + g.limit < begun.size(); ++i)
      e20.expect(begun[i + g.limit] - begun[i] >= g.per_ms, [&, key = key, &g = g] {
        return "of key " + h_.text(key) + " " + std::to_string(g.limit + 1) + " tasks began within "
               + std::to_string(begun[i + g.limit] - begun[i]) + " ms, and " + std::to_string(g.limit) + " may within "
               + std::to_string(g.per_ms);
      });
  }
}

} // namespace checker
