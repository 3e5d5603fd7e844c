// Asks the store to remove ended tasks by their rules: a few at a time, at most one write on its way, with pauses, so
// that other writes are hardly delayed. It decides nothing: workflow/supervision/retention.hpp says which tasks leave.

#include "actors/supervising/janitor.hpp"

#include "actors/common/deadline_timer.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/one_write.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace steadfast::actors {

namespace {

/// What it knows of a workflow with a rule.
struct swept_workflow {
  workflow::retention keep;
  store::ended_position reached;
  workflow::instant look_again_at; ///< unset: at once
  workflow::instant next;          ///< when a task will be too old, as far as is known
  std::uint64_t left = 0;
};

class janitor : public observed<janitor_actor> {
public:
  janitor(caf::actor_config& cfg, janitor_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "janitor"; }

  void on_exit() override { deps_ = {}; }

  behavior_type make_behavior() override {
    sleep_until(now() + deps_.options.period);
    return {
      one_by_one<const writes_done>([this](const write_done& w) { on_written(w); }),
      [](const store_news&) {},
      [this](const tick_timer& m) { on_tick(m); },
      [this](const inspect_state& m) { return state(m.listed_max); },
    };
  }

private:
  workflow::instant now() const { return deps_.clock.now(this); }

  void sleep_until(workflow::instant at) {
    wakes_at_ = at;
    timer_.set<janitor_actor>(this, deps_.clock, at);
  }

  void on_tick(const tick_timer& m) {
    if (!timer_.fires<janitor_actor>(this, deps_.clock, m) || is_busy_)
      return;
    if (now() < wakes_at_)
      return sleep_until(wakes_at_);
    if (now() >= list_again_at_)
      return list();
    go_on();
  }

  /// Looks for new workflows, and at the tasks that could not leave when it was their turn.
  void list() {
    is_busy_ = true;
    ask(this, deps_.reader, deps_.options.reader_limit, list_workflows{})
      .then([this](const workflow_page& page) { on_listed(page); },
            [this](const caf::error&) { rest(now() + deps_.options.period); });
  }

  void on_listed(const workflow_page& page) {
    list_again_at_ = now() + deps_.options.recheck_period;
    for (const auto& d : page.definitions)
      if (const auto& keep = workflow::retention_of(deps_.options.keep, d->name); !workflow::keeps_all(keep)) {
        auto& w = workflows_[d->name];
        w.keep = keep;
        w.reached = {};
        w.look_again_at = workflow::unset;
      }
    go_on();
  }

  /// Takes the workflow that has waited longest for its turn, or sleeps until one has its turn.
  void go_on() {
    auto next = workflows_.end();
    for (auto w = workflows_.begin(); w != workflows_.end(); ++w)
      if (next == workflows_.end() || w->second.look_again_at < next->second.look_again_at)
        next = w;
    if (next == workflows_.end() || next->second.look_again_at > now()) {
      behind_since_ = workflow::unset;
      return rest(next == workflows_.end() ? list_again_at_ : std::min(list_again_at_, next->second.look_again_at));
    }
    if (behind_since_ == workflow::unset)
      behind_since_ = now();
    purge(next->first, next->second);
  }

  void rest(workflow::instant until) {
    is_busy_ = false;
    sleep_until(until);
  }

  void purge(const std::string& name, const swept_workflow& w) {
    is_busy_ = true;
    asked_about_ = name;
    asked_at_ = now();
    tell_one_write(this, deps_.store, ++ticket_,
                   store::purge_ended{name, w.keep, deps_.options.batch_max, w.reached, asked_at_});
  }

  void on_written(const write_done& m) {
    if (m.ticket != ticket_ || asked_about_.empty())
      return;
    auto& w = workflows_[std::exchange(asked_about_, {})];
    const auto& o = *m.outcome;
    last_took_ = now() - asked_at_;
    trouble_ = o.why;
    if (o.result != store::write_status::applied)
      return rest(now() + deps_.options.period);
    const auto& left = o.as<store::purge_result>();
    w.reached = left.reached;
    w.left += left.purged;
    w.next = left.next;
    w.look_again_at = left.more ? now() : workflow::next_look(w.keep, left.next, now(), deps_.options.period);
    if (left.purged == 0 && !left.more)
      return go_on();
    remember({asked_at_, left.purged, last_took_});
    rest(now() + workflow::pause_after(last_took_, now() - behind_since_));
  }

  // ---- what it shows ----

  struct purge_made {
    workflow::instant at;
    std::uint64_t left = 0;
    workflow::span took{0};
  };

  void remember(purge_made p) {
    left_ += p.left;
    purges_.push_front(p);
    if (purges_.size() > purges_kept)
      purges_.pop_back();
  }

  std::string summary() const {
    std::uint64_t stay = 0;
    for (const auto& [name, w] : workflows_)
      stay += w.reached.passed;
    auto text = counted(left_, "task") + (left_ == 1 ? " has left" : " have left");
    if (stay > 0)
      text += ", " + std::to_string(stay) + (stay == 1 ? " waits" : " wait") + " for an acknowledgement";
    return trouble_.empty() ? text : text + "; the last purge failed: " + trouble_;
  }

  actor_state state(std::size_t listed_max) const {
    const auto swept = [](const auto& x) -> state_tree {
      const auto& w = x.second;
      state_tree t{{"workflow", x.first}};
      if (w.keep.keep_for)
        t.add({{"keep_for_ms", w.keep.keep_for->count()}});
      if (w.keep.keep_at_most)
        t.add({{"keep_at_most", *w.keep.keep_at_most}});
      t.add({{"have_left", w.left},
             {"must_be_seen_first", w.reached.passed},
             {"next_is_too_old_at", w.next},
             {"looks_again_at", w.look_again_at}});
      return t;
    };
    const auto made = [](const purge_made& p) -> state_tree {
      return {{"at", p.at}, {"have_left", p.left}, {"took_ms", p.took.count()}};
    };
    return state_of(summary(), {{"have_left", left_},
                                {"purging", asked_about_},
                                {"behind_since", behind_since_},
                                {"wakes_at", wakes_at_},
                                {"last_took_ms", last_took_.count()},
                                {"trouble", trouble_},
                                {"workflows", listed(workflows_, listed_max, swept)},
                                {"last_purges", listed(purges_, listed_max, made)}});
  }

  static constexpr std::size_t purges_kept = 100;

  janitor_deps deps_;
  deadline_timer timer_;
  workflow::instant wakes_at_;
  workflow::instant list_again_at_; ///< unset: nothing was listed yet
  workflow::instant behind_since_;  ///< unset: all that was to leave did
  bool is_busy_ = false;            ///< a question or a write is on its way
  std::map<std::string, swept_workflow> workflows_;
  std::string asked_about_; ///< the workflow of the write that is on its way
  workflow::instant asked_at_;
  workflow::span last_took_{0};
  std::uint64_t ticket_ = 0;
  std::uint64_t left_ = 0; ///< since it began
  std::string trouble_;
  std::deque<purge_made> purges_; ///< the newest first
};

} // namespace

janitor_actor spawn_janitor(caf::actor_system& sys, janitor_deps deps) {
  return sys.spawn<janitor>(std::move(deps));
}

} // namespace steadfast::actors
