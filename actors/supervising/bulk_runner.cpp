// Works through the open bulk acts, each in its turn, a page at a time, under load too: it reads which tasks match, has
// the gateway act on each of them as for a person, and writes how far it is. It keeps nothing: each page begins with
// what the store says, so it continues after a restart. workflow/on_call/bulk_act.hpp says which tasks are processed
// and what an answer means.

#include "actors/supervising/bulk_runner.hpp"

#include "actors/common/deadline_timer.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/one_write.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"
#include "store/records/record.hpp"
#include "workflow/on_call/bulk_act.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace steadfast::actors {

namespace {

/// The current page.
struct open_page {
  workflow::bulk_act of;
  boxed<store::task_filter> filter;
  store::advance_bulk passed; ///< how it will be written
  std::size_t tasks = 0;
  std::size_t unanswered = 0;
  std::string trouble; ///< why it must begin again
  workflow::instant began_at;
};

/// A task of it, as it was when it was found to match.
struct met_task {
  std::string id;
  std::uint64_t number = 0;
  std::uint64_t revision = 0;
  int tries = 0;
};

met_task met(const workflow::task& t, int tries = 0) {
  return {t.id, t.number, t.revision, tries};
}

class bulk_runner : public observed<bulk_runner_actor> {
public:
  bulk_runner(caf::actor_config& cfg, bulk_runner_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "bulk_runner"; }

  void on_exit() override { deps_ = {}; }

  behavior_type make_behavior() override {
    tell(this, deps_.store, subscribe{{}, true});
    rest(now());
    return {
      one_by_one<const writes_done>([this](const write_done& w) { on_written(w); }),
      [this](const store_news& m) { on_news(m); },
      [this](const tick_timer& m) { on_tick(m); },
      [this](const inspect_state&) { return state(); },
    };
  }

private:
  workflow::instant now() const { return deps_.clock.now(this); }

  // ---- which one has its turn ----

  void rest(workflow::instant until) {
    is_busy_ = false;
    wakes_at_ = until;
    timer_.set<bulk_runner_actor>(this, deps_.clock, until);
  }

  void on_news(const store_news& m) {
    if (m.bulk && !is_busy_ && wakes_at_ == workflow::never)
      rest(now());
    has_news_ = has_news_ || m.bulk;
  }

  void on_tick(const tick_timer& m) {
    if (!timer_.fires<bulk_runner_actor>(this, deps_.clock, m) || is_busy_)
      return;
    if (now() < wakes_at_)
      return rest(wakes_at_);
    look();
  }

  void look() {
    is_busy_ = true;
    has_news_ = false;
    ask(this, deps_.reader, deps_.options.reader_limit, list_bulk_acts{})
      .then([this](const boxed<store::bulk_page>& page) { on_open(page->acts); },
            [this](const caf::error&) { try_again("the store could not be read"); });
  }

  void on_open(const std::vector<workflow::bulk_act>& open) {
    open_ = open.size();
    const auto next = workflow::next_turn(open, last_);
    if (!next)
      return rest(has_news_ ? now() : workflow::never);
    last_ = open[*next].number;
    begin(open[*next]);
  }

  void try_again(std::string why) {
    trouble_ = std::move(why);
    rest(now() + deps_.options.retry_after);
  }

  // ---- a page ----

  void begin(const workflow::bulk_act& b) {
    page_ = {};
    page_.of = b;
    page_.began_at = now();
    try {
      page_.filter = boxed<store::task_filter>{store::decode<store::task_filter>(b.filter)};
    } catch (const std::exception&) { // by another version of the program
      return tell_one_write(this, deps_.store, ++ticket_,
                            store::stop_bulk{b.number, "(node)", "its conditions cannot be read by this version", {}});
    }
    list_tasks question;
    question.filter = page_.filter;
    question.before = b.position;
    question.max = workflow::bulk_page_max;
    ask(this, deps_.reader, deps_.options.reader_limit, question)
      .then([this](const boxed<store::task_page>& page) { on_page(*page); },
            [this](const caf::error&) { try_again("the store could not be read"); });
  }

  void on_page(const store::task_page& found) {
    page_.passed.number = page_.of.number;
    page_.passed.position = found.next.value_or(0);
    page_.passed.is_last = !found.next;
    for (const auto& t : found.tasks)
      if (workflow::has_yet_to_meet(page_.of, t.number))
        act_on(met(t));
    page_.tasks = page_.unanswered;
    if (page_.unanswered == 0)
      tell_one_write(this, deps_.store, ++ticket_, page_.passed);
  }

  void act_on(met_task t) {
    ++page_.unanswered;
    ++t.tries;
    const auto& b = page_.of;
    act_on_task m{t.id, b.act, b.step, b.document, b.new_key, b.who, b.why, t.revision, b.number};
    ask(this, deps_.gateway, deps_.options.act_limit, std::move(m))
      .then([this, t](const act_result& r) { on_answer(t, r); },
            [this](const caf::error&) { wait("a task did not answer"); });
  }

  void on_answer(const met_task& t, const act_result& r) {
    switch (workflow::step_after(r.done, r.refusal, t.tries)) {
      case workflow::bulk_step::count_refused: page_.passed.refused.push_back({t.number, t.id, r.why}); break;
      case workflow::bulk_step::look_again: return look_again_at(t);
      case workflow::bulk_step::wait: return wait(r.why);
      case workflow::bulk_step::count_done:
      case workflow::bulk_step::leave_out: break;
    }
    answered();
  }

  /// The task has changed: the store must say whether it still matches.
  void look_again_at(const met_task& t) {
    list_tasks question;
    question.filter = page_.filter;
    question.before = t.number + 1;
    question.max = 1;
    ask(this, deps_.reader, deps_.options.reader_limit, question)
      .then([this, t](const boxed<store::task_page>& page) { on_seen_again(t, *page); },
            [this](const caf::error&) { wait("the store could not be read"); });
  }

  void on_seen_again(const met_task& t, const store::task_page& found) {
    if (!found.tasks.empty() && found.tasks.front().number == t.number)
      act_on(met(found.tasks.front(), t.tries));
    else
      ++page_.passed.skipped;
    answered();
  }

  void wait(std::string why) {
    page_.trouble = std::move(why);
    answered();
  }

  void answered() {
    if (--page_.unanswered > 0)
      return;
    if (page_.trouble.empty())
      tell_one_write(this, deps_.store, ++ticket_, page_.passed);
    else
      try_again(page_.trouble);
  }

  // ---- how far it is ----

  void on_written(const write_done& m) {
    if (m.ticket != ticket_)
      return;
    if (m.outcome->result != store::write_status::applied && m.outcome->result != store::write_status::absent)
      return try_again(m.outcome->why);
    trouble_.clear();
    met_ += page_.tasks;
    rest(now() + workflow::pause_after_page(page_.tasks, now() - page_.began_at, deps_.options.rate));
  }

  actor_state state() const {
    return state_of(counted(open_, "open bulk act") + (trouble_.empty() ? "" : "; it tries again, for: " + trouble_),
                    {{"open", open_},
                     {"met", met_},
                     {"now_at", is_busy_ ? last_ : 0},
                     {"unanswered", page_.unanswered},
                     {"wakes_at", wakes_at_},
                     {"trouble", trouble_}});
  }

  bulk_runner_deps deps_;
  deadline_timer timer_;
  workflow::instant wakes_at_ = workflow::never;
  bool is_busy_ = false;  ///< a question or a write is on its way
  bool has_news_ = false; ///< since it looked
  open_page page_;
  std::size_t open_ = 0;
  std::uint64_t last_ = 0; ///< the one that had its turn last
  std::uint64_t ticket_ = 0;
  std::uint64_t met_ = 0; ///< tasks, since it began
  std::string trouble_;
};

} // namespace

bulk_runner_actor spawn_bulk_runner(caf::actor_system& sys, bulk_runner_deps deps) {
  return sys.spawn<bulk_runner>(std::move(deps));
}

} // namespace steadfast::actors
