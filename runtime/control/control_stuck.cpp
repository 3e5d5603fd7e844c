// Which tasks do not move, and why.

#include "actors/common/options.hpp"
#include "runtime/control/control_context.hpp"
#include "runtime/text/json.hpp"
#include "workflow/task/waiting.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;

constexpr std::uint32_t stuck_page = 1000;
constexpr std::size_t looked_at_max = 100'000;

/// Tasks that wait for the same thing.
struct waiting_group {
  std::uint64_t count = 0;
  std::string id; ///< of the one that waits longest
  workflow::wait longest;
};

struct stuck_report {
  std::map<std::string, waiting_group> groups; ///< by cause
  json stuck = json::array();
  std::size_t looked_at = 0;
  bool is_cut = false;
};

void add(stuck_report& s, const workflow::task& t, const workflow::definition& d,
         const workflow::clock_reading& clock) {
  ++s.looked_at;
  if (auto why = workflow::why_stuck(t, d, clock, actors::supervisor_options{}.patience); !why.empty())
    s.stuck.push_back({{"id", t.id}, {"process_state", std::string{workflow::to_string(t.state)}}, {"why", why}});
  auto wait = workflow::wait_of(t, d, clock.now);
  if (!wait)
    return;
  auto& group = s.groups[wait->cause];
  if (group.count++ == 0 || wait->since < group.longest.since) {
    group.id = t.id;
    group.longest = *std::move(wait);
  }
}

/// All unfinished tasks, the newest first, as far as can be looked at in reasonable time.
stuck_report look_for_stuck(const control_context& c) {
  stuck_report s;
  const auto clock = c.clock();
  std::map<std::pair<std::string, std::uint32_t>, actors::boxed<workflow::definition>> definitions;
  for (const auto& d : workflows(c).definitions)
    definitions[{d->name, d->version}] = d;
  actors::list_tasks question;
  using enum workflow::process_state;
  store::task_filter unfinished;
  unfinished.states = {pending, processing, undoing, suspended};
  question.filter = actors::boxed<store::task_filter>{std::move(unfinished)};
  question.max = stuck_page;
  for (;;) {
    const auto page = c.ask<actors::boxed<store::task_page>>(c.parts.reader, question);
    for (const auto& t : page->tasks)
      if (const auto d = definitions.find({t.workflow, t.version}); d != definitions.end())
        add(s, t, *d->second, clock);
    s.is_cut = page->next && s.looked_at >= looked_at_max;
    if (!page->next || s.is_cut)
      return s;
    question.before = *page->next;
  }
}

} // namespace

json list_stuck(const control_context& c, const api::arguments&) {
  const auto s = look_for_stuck(c);
  json waits = json::array();
  for (const auto& [cause, g] : s.groups)
    waits.push_back({{"cause", cause},
                     {"tasks", g.count},
                     {"longest", g.id},
                     {"since", instant_json(g.longest.since)},
                     {"meant", g.longest.is_meant},
                     {"detail", g.longest.detail}});
  std::sort(waits.begin(), waits.end(), [](const json& a, const json& b) { return a.at("since") < b.at("since"); });
  const auto trouble = scheduler_trouble(c);
  return {{"stuck", s.stuck},
          {"waits", waits},
          {"looked_at", s.looked_at},
          {"is_cut", s.is_cut},
          {"scheduler_trouble", trouble.empty() ? json{} : json(trouble)}};
}

} // namespace steadfast
