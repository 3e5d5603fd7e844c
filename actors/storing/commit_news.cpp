#include "actors/storing/commit_news.hpp"

#include "workflow/task/task.hpp"

#include <variant>

namespace steadfast::actors {

namespace {

/// Of writes that were applied.
struct adder {
  commit_news& to;
  const std::string& holder;
  const store::outcome& o;

  void operator()(const store::submit_task& w) const {
    const auto& t = o.as<store::submit_result>();
    if (!t.created && o.why.empty()) // nor was another one replaced
      return;
    to.news.work = true;
    to.news.notices = to.news.notices || !w.what.reply_to.empty();
    to.changed.push_back(t.number);
  }
  void operator()(const store::import_task&) const {
    to.news.notices = true;
    const auto& r = o.as<store::import_result>();
    to.changed.push_back(r.number);
    add(r.others);
  }
  void operator()(const store::update_task& w) const {
    // With a limit, the next with its key may begin when it ends, or rests before it has begun.
    const bool may_free_place = !w.next.limit.empty() && w.next.locked_by.empty();
    to.news.work = to.news.work || may_free_place || workflow::is_claimable(w.next);
    to.news.notices = to.news.notices || !w.notices.empty();
    const auto ask = [this](const workflow::step_summary& s) { to.news.review = to.news.review || s.needs_review; };
    w.next.steps.each_summary(ask);
    for (const auto& part : w.changed)
      ask(workflow::summary_of(part.steps));
    if (!holder.empty())
      to.taken[holder].push_back(w.next.number);
    to.changed.push_back(w.next.number);
    const auto& r = o.as<store::update_result>();
    add(r.others);
    if (r.freed_schedule)
      to.news.review = true;
    if (r.took_event) {
      to.news.work = to.news.notices = to.news.review = true;
      to.taken[w.next.locked_by].push_back(w.next.number);
    }
  }
  void operator()(const store::claim_tasks&) const {
    to.news.notices = true;
    const auto& r = o.as<store::claim_result>();
    for (const auto& t : r.tasks)
      to.changed.push_back(t.number);
    add(r.others);
  }
  void operator()(const store::send_event&) const {
    const auto& r = o.as<store::event_result>();
    to.news.work = to.news.work || r.more;
    add(r.others);
  }
  void operator()(const store::put_schedule&) const { to.news.review = true; }
  void operator()(const store::act_on_schedule&) const {
    to.news.review = true;
    add(o.as<store::schedule_result>().others);
  }
  void operator()(const store::fire_schedules&) const { add(o.as<store::schedule_result>().others); }
  void operator()(const store::free_locks&) const {
    const auto& r = o.as<store::free_result>();
    add(r.others);
    const bool any = r.freed > 0;
    to.news.work = to.news.work || any;
    to.is_any_changed = to.is_any_changed || any;
  }
  void operator()(const store::start_bulk& w) const { to.news.bulk = to.news.bulk || !w.is_question; }
  void operator()(const store::set_aside_damaged& w) const {
    to.news.work = true; // it may have had a place
    to.changed.push_back(w.number);
  }
  /// They may be anything: work for a scheduler, notices, steps to review.
  void add(const store::other_changes& all) const {
    if (all.numbers.empty())
      return;
    to.news.work = to.news.notices = to.news.review = true;
    to.changed.insert(to.changed.end(), all.numbers.begin(), all.numbers.end());
    for (const auto& t : all.locked)
      to.taken[t.scheduler].push_back(t.number);
  }
  template <class Other>
  void operator()(const Other&) const {} // nobody waits for it
};

} // namespace

void add_news(commit_news& to, const store::write& w, const std::string& holder, const store::outcome& o) {
  if (o.result == store::write_status::unknown_outcome) { // if it was made, somebody has to look
    add_found(to, {});
    to.is_in_doubt = true;
    if (const auto* const u = std::get_if<store::update_task>(&w))
      to.in_doubt.push_back(u->next.number);
  }
  if (o.result == store::write_status::applied)
    std::visit(adder{to, holder, o}, w);
}

void add_found(commit_news& to, const std::vector<std::uint64_t>& in_doubt) {
  to.news.work = to.news.review = to.news.notices = to.news.bulk = true;
  to.is_any_changed = true;
  to.changed.insert(to.changed.end(), in_doubt.begin(), in_doubt.end());
}

} // namespace steadfast::actors
