#include "workflow/retention.hpp"

#include "workflow/name.hpp"

#include <algorithm>
#include <set>

namespace steadfast::workflow {

namespace {

void check(const std::string& where, const retention& r, std::vector<std::string>& found) {
  if (r.keep_for && *r.keep_for < span::zero())
    found.push_back(where + "keep_for must not be negative");
}

} // namespace

bool keeps_all(const retention& r) {
  return !r.keep_for && !r.keep_at_most;
}

bool may_leave(process_state s) {
  return s == process_state::processed || s == process_state::undone;
}

instant leaves_at(const retention& r, instant ended_at) {
  if (!r.keep_for)
    return never;
  const auto kept = std::max(*r.keep_for, span::zero()); // a write of another node may say anything
  return ended_at > instant_max - kept ? never : ended_at + kept;
}

std::uint64_t surplus(const retention& r, std::uint64_t ended) {
  return r.keep_at_most && ended > *r.keep_at_most ? ended - *r.keep_at_most : 0;
}

bool keeps_all(const retention_rules& rules) {
  return keeps_all(rules.others)
         && std::all_of(rules.workflows.begin(), rules.workflows.end(),
                        [](const retention_rules::own& x) { return keeps_all(x.keep); });
}

const retention& retention_of(const retention_rules& rules, std::string_view workflow) {
  const auto own = std::find_if(rules.workflows.begin(), rules.workflows.end(),
                                [&](const retention_rules::own& x) { return x.workflow == workflow; });
  return own == rules.workflows.end() ? rules.others : own->keep;
}

std::vector<std::string> problems(const retention_rules& rules) {
  std::vector<std::string> found;
  check("retention.", rules.others, found);
  std::set<std::string> names;
  for (const auto& x : rules.workflows) {
    const auto where = "retention.workflow " + quoted(x.workflow) + ": ";
    if (!is_name(x.workflow))
      found.push_back(where + "name must be " + std::string{name_rule});
    if (!names.insert(x.workflow).second)
      found.push_back(where + "there are two of that name");
    check(where, x.keep, found);
  }
  return found;
}

instant next_look(const retention& r, instant next, instant now, span period) {
  const auto soonest = now + period;
  return r.keep_at_most ? soonest : std::max(soonest, std::min(next, leaves_at(r, now)));
}

span pause_after(span took, span behind) {
  constexpr std::int64_t share = 4; // of the time: one part for this, so many for the others
  constexpr span halved_every{1000};
  constexpr std::int64_t halvings_max = 8;
  constexpr span shortest{1};
  constexpr span longest{1000};
  const auto halvings = std::clamp<std::int64_t>(behind / halved_every, 0, halvings_max);
  return std::clamp(took * share / (std::int64_t{1} << halvings), shortest, longest);
}

} // namespace steadfast::workflow
