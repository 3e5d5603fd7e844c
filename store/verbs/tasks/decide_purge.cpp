#include "store/verbs/tasks/decide_purge.hpp"

#include "workflow/supervision/retention.hpp"

#include <algorithm>

namespace steadfast::store {

namespace {

// Of one write, whatever it asks for; the rest is there for the next one.
constexpr std::size_t purged_max = 1000;
constexpr std::uint64_t passed_max = 200; ///< tasks that cannot leave yet, each of which was read
constexpr std::size_t gone_max = 20'000;  ///< with children; the last family is not counted

} // namespace

std::size_t looked_at_max(const purge_ended& w) {
  return std::min(w.max, purged_max) + passed_max + 1;
}

answer<purge_ended> decide(const purge_ended& w, std::uint64_t there, const std::vector<ended_task>& ended,
                           const std::function<std::size_t(std::uint64_t number)>& leave) {
  answer<purge_ended> o = applied();
  o.reached = w.after;
  const auto surplus = workflow::surplus(w.keep, there);
  auto over = surplus - std::min(surplus, w.after.passed);
  const auto max = std::min(w.max, purged_max);
  std::size_t gone = 0;
  for (const auto& t : ended) {
    const auto leaves_at = workflow::leaves_at(w.keep, t.ended_at);
    if (over == 0 && leaves_at > w.now) {
      o.next = leaves_at;
      break;
    }
    if (o.purged == max || gone >= gone_max || o.reached.passed - w.after.passed == passed_max) {
      o.more = true;
      break;
    }
    over -= std::min<std::uint64_t>(over, 1);
    const auto left = leave(t.number);
    gone += left;
    if (left > 0)
      ++o.purged;
    else
      ++o.reached.passed;
    o.reached.ended_at = t.ended_at;
    o.reached.number = t.number;
  }
  return o;
}

bool may_leave(workflow::process_state state, const kept_of_ended& kept) {
  return workflow::may_leave(state) && !kept.has_open_alert && !kept.has_notice;
}

bool leaves_with_parent(const workflow::parent_link& parent, std::optional<std::uint64_t> there) {
  return there && (parent.number == *there || parent.number == 0); // 0: it was taken in, and does not know
}

} // namespace steadfast::store
