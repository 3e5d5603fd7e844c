#include "actors/supervising/condition_watch.hpp"

#include "actors/common/one_write.hpp"
#include "actors/protocol/type_ids.hpp"
#include "workflow/supervision/lease_term.hpp"
#include "workflow/supervision/node_card.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <utility>

namespace steadfast::actors {

namespace {

constexpr std::uint32_t incidents_read = 1000;
constexpr std::uint32_t suspended_page = 1000;
constexpr std::uint32_t schedules_page = 500;
constexpr std::size_t suspended_max = 100'000; ///< looked at in one survey, the newest first
constexpr std::uint32_t failed_read = 50;      ///< tasks that are asked what failed

} // namespace

template <class Answer, class Question, class Then>
void condition_watch::ask_reader(const Question& question, Then then) {
  ask(self_, deps_.reader, deps_.options.reader_limit, question)
    .then(
      [this, look = look_, then = std::move(then)](const Answer& answer) {
        if (look == look_)
          then(answer);
        else
          end();
      },
      [this](const caf::error&) { end(); }); // the next look asks again
}

void condition_watch::look(const store::lease_guard& guard, std::uint64_t ticket, bool all_know_schedules) {
  const auto now = deps_.clock.now(self_);
  if (looking_ || now - last_look_ < deps_.options.conditions_period)
    return;
  looking_ = true;
  last_look_ = now;
  guard_ = guard;
  ticket_ = ticket;
  all_know_schedules_ = all_know_schedules;
  facts_ = {};
  see_nodes();
}

void condition_watch::see_nodes() {
  ask_reader<lease_page>(list_leases{}, [this](const lease_page& page) {
    if (!workflow::can_be_renewed(page.store_since, page.now))
      return end();
    note_nodes(page);
    see_store();
  });
}

void condition_watch::note_nodes(const lease_page& page) {
  facts_.now = page.now;
  for (const auto& lease : page.leases) {
    const auto card = workflow::card_of(lease->name, lease->note);
    if (!card)
      continue;
    const bool gone = workflow::has_ended(lease->expires_at, deps_.options.node_ttl, page.store_since, page.now);
    facts_.nodes.push_back({card->name, lease->expires_at, gone, card->drained, card->certificate_until});
  }
}

void condition_watch::see_store() {
  ask_reader<boxed<store::store_stats>>(show_stats{}, [this](const boxed<store::store_stats>& stats) {
    note_store(*stats);
    see_open();
  });
}

void condition_watch::note_store(const store::store_stats& stats) {
  facts_.store.used = stats.bytes_used;
  facts_.store.room = stats.bytes_max - std::min(stats.bytes_max, stats.bytes_reserve);
  facts_.store.disk_free = stats.disk_free;
  facts_.store.disk_size = stats.disk_size;
  for (const auto& [name, how] : stats.endings)
    facts_.workflows.push_back({name, how});
}

void condition_watch::see_open() {
  list_incidents question;
  question.max = incidents_read;
  ask_reader<boxed<store::incident_page>>(question, [this](const boxed<store::incident_page>& page) {
    open_.clear();
    for (const auto& x : page->incidents)
      if (x.is_condition)
        open_.push_back({x.what, x.sample_text});
    if (facts_.now - last_survey_ >= deps_.options.survey_period) {
      last_survey_ = facts_.now;
      suspended_.clear();
      missed_.clear();
      return see_suspended(0, 0);
    }
    look_for_failures();
  });
}

void condition_watch::see_suspended(std::uint64_t before, std::size_t seen) {
  store::task_filter resting;
  resting.states = {workflow::process_state::suspended};
  const list_tasks question{boxed<store::task_filter>{std::move(resting)}, before, suspended_page};
  ask_reader<boxed<store::task_page>>(question, [this, seen](const boxed<store::task_page>& page) {
    for (const auto& t : page->tasks)
      workflow::count_if_suspended(suspended_, t, deps_.options.conditions, facts_.now);
    const auto now_seen = seen + page->tasks.size();
    if (page->next && now_seen < suspended_max)
      see_suspended(*page->next, now_seen);
    else if (all_know_schedules_)
      see_schedules({});
    else
      look_for_failures();
  });
}

void condition_watch::see_schedules(const std::string& after) {
  ask_reader<schedule_page>(list_schedules{{}, after, schedules_page}, [this](const schedule_page& page) {
    for (const auto& s : page.schedules)
      workflow::count_if_missed(missed_, *s);
    if (page.schedules.size() == schedules_page)
      see_schedules(page.schedules.back()->what.name);
    else
      look_for_failures();
  });
}

void condition_watch::look_for_failures() {
  failures_.clear();
  failing_ = workflow::beginning_to_fail(facts_, deps_.options.conditions, open_signatures());
  look_for_next_failure();
}

/// Of one workflow after the other.
void condition_watch::look_for_next_failure() {
  if (failing_.empty())
    return report();
  const auto workflow = failing_.back();
  failing_.pop_back();
  store::task_filter failed;
  failed.workflow = workflow;
  failed.states = {workflow::process_state::undone, workflow::process_state::error};
  const list_tasks question{boxed<store::task_filter>{std::move(failed)}, 0, failed_read};
  ask_reader<boxed<store::task_page>>(question, [this, workflow](const boxed<store::task_page>& page) {
    std::vector<boxed<workflow::definition>> held;
    std::vector<const workflow::definition*> of;
    for (const auto& t : page->tasks) {
      held.push_back(definitions_.find(t));
      of.push_back(held.back() ? &*held.back() : nullptr);
    }
    failures_[workflow] = workflow::most_common_failure(page->tasks, of);
    look_for_next_failure();
  });
}

std::vector<workflow::incident_signature> condition_watch::open_signatures() const {
  std::vector<workflow::incident_signature> all;
  all.reserve(open_.size());
  for (const auto& c : open_)
    all.push_back(c.what);
  return all;
}

void condition_watch::report() {
  end();
  facts_.suspended = suspended_;
  facts_.schedules = missed_;
  held_ = workflow::conditions(facts_, deps_.options.conditions, open_signatures(), failures_);
  const auto is_among = [](const auto& all, const auto& x) {
    return std::find(all.begin(), all.end(), x) != all.end();
  };
  const bool is_known = held_.size() == open_.size()
                        && std::all_of(held_.begin(), held_.end(), [&](const auto& c) { return is_among(open_, c); });
  if (is_known)
    return;
  tell_log();
  tell_one_write(self_, deps_.store, ticket_, store::report_conditions{held_, guard_, {}});
}

/// What began, and what is over.
void condition_watch::tell_log() const {
  if (!deps_.warn)
    return;
  const auto has = [](const auto& all, const auto& what) {
    return std::any_of(all.begin(), all.end(), [&](const auto& c) { return c.what == what; });
  };
  for (const auto& c : held_)
    if (!has(open_, c.what))
      deps_.warn(c.text);
  for (const auto& c : open_)
    if (!has(held_, c.what))
      deps_.warn("it is over: " + c.text);
}

} // namespace steadfast::actors
