// Reads run while store_actor writes: each sees one snapshot and delays nothing.

#include "actors/storing/reader.hpp"

#include "actors/common/known_definitions.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"
#include "actors/storing/long_questions.hpp"
#include "actors/storing/pages.hpp"
#include "workflow/supervision/lease_term.hpp"

#include <caf/actor_system.hpp>
#include <caf/result.hpp>
#include <caf/sec.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace steadfast::actors {

namespace {

constexpr std::size_t late_replies_shown = 100;
constexpr std::uint32_t overdue_max = 1000;

/// Its messages to itself.
using self_telling_reader = reader_actor::extend<takes<void(flush)>>;

class store_reader : public observed<self_telling_reader> {
public:
  store_reader(caf::actor_config& cfg, reader_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "reader"; }

  /// Circular handles keep each other alive, and the system waits until a detached actor is freed.
  void on_exit() override {
    for (const auto& q : questions_)
      q->fail(caf::make_error(caf::sec::runtime_error,
                              std::string{"this node has the store no more, or is about to end; ask again"}));
    questions_.clear();
    deps_ = {};
  }

  behavior_type make_behavior() override {
    since_ = deps_.clock.now(this);
    return {
      [this](const show_task& m) { return guarded([&] { return on_show(m); }); },
      [this](const find_task& m) { return guarded([&] { return view_of(deps_.store->find(m.number), false); }); },
      [this](const list_tasks& m) { return on_question<boxed<store::task_page>>(m); },
      [this](const find_overdue& m) { return guarded([&] { return on_overdue(m); }); },
      [this](const find_notices& m) { return guarded([&] { return on_notices(m); }); },
      [this](const count_tasks& m) { return on_question<task_count>(m); },
      [this](const list_leases&) { return guarded([&] { return on_leases(); }); },
      [this](const list_alerts& m) {
        return guarded([&] { return alert_page{boxes(deps_.store->alerts(m.open_only, std::min(m.max, rows_max)))}; });
      },
      [this](const find_alerts& m) { return guarded([&] { return on_alerts(m); }); },
      [this](const list_incidents& m) { return guarded([&] { return on_incidents(m); }); },
      [this](const list_bulk_acts& m) { return guarded([&] { return on_bulk_acts(m); }); },
      [this](const list_schedules& m) { return guarded([&] { return on_schedules(m); }); },
      [this](const find_limit_queue& m) { return guarded([&] { return on_limit_queue(m); }); },
      [this](const find_items_undo& m) { return guarded([&] { return on_items_undo(m); }); },
      [this](const list_events& m) { return guarded([&] { return on_events(m); }); },
      [this](const list_workflows& m) { return on_question<workflow_page>(m); },
      [this](const list_late_replies& m) {
        return guarded(
          [&] { return late_reply_page{boxes(deps_.store->late_replies({}, std::min(m.max, rows_max)))}; });
      },
      [](const inspect_state&) { return state_of("", state_tree{}); },
      [this](const show_stats&) {
        return guarded([&] { return boxed<store::store_stats>{store::stats_of(*deps_.store, deps_.files.get())}; });
      },
      [this](flush) { go_on(); },
    };
  }

private:
  /// A read that fails is answered as failed; an exception would end the actor.
  template <class F>
  static auto guarded(F read) -> caf::result<decltype(read())> {
    try {
      return read();
    } catch (const store::store_error& e) {
      return caf::make_error(caf::sec::runtime_error, std::string{e.what()});
    }
  }

  task_view view_of(std::optional<workflow::task> found, bool with_late_replies) {
    report_damage();
    task_view view;
    view.clock = deps_.clock.reading(this).set_at;
    if (!found)
      return view;
    view.definition = definitions_.find(*found, *deps_.store);
    if (with_late_replies)
      for (auto& reply : deps_.store->late_replies(found->number, late_replies_shown))
        view.late_replies.emplace_back(std::move(reply));
    view.task = boxed<workflow::task>{std::move(*found)};
    return view;
  }

  /// What was read just now. Thus what clients are told of one thing is never older than what they were told before, by
  /// whatever node: it throws store_error if another node may have changed it meanwhile.
  template <class Found>
  Found newest(Found found) const {
    deps_.store->expect_newest();
    return found;
  }

  task_view on_show(const show_task& m) {
    auto view = view_of(deps_.store->find(m.id), true);
    if (!view.task)
      view.damage = deps_.store->damage_of(m.id).value_or("");
    return newest(std::move(view));
  }

  /// To search many tasks or workflows may take seconds: other questions are answered between two parts. A question
  /// that one part can answer is answered at once, unless others wait.
  template <class Answer, class Question>
  caf::result<Answer> on_question(const Question& m) {
    if (questions_.size() == questions_max)
      return caf::make_error(caf::sec::runtime_error, "more than " + std::to_string(questions_max)
                                                        + " lists and counts are under way: ask again later");
    auto answer = make_response_promise<Answer>();
    questions_.push_back(question_of(m, answer));
    if (questions_.size() == 1)
      go_on();
    return answer;
  }

  void go_on() {
    auto q = std::move(questions_.front());
    questions_.pop_front();
    try {
      const bool is_answered = q->go_on(*deps_.store);
      report_damage();
      if (!is_answered)
        questions_.push_back(std::move(q));
    } catch (const store::store_error& e) {
      q->fail(caf::make_error(caf::sec::runtime_error, std::string{e.what()}));
    }
    if (!questions_.empty())
      tell(this, self_telling_reader{this}, flush{});
  }

  boxed<store::alert_list> on_alerts(const find_alerts& m) const {
    return boxed<store::alert_list>{deps_.store->find_alerts(m.filter ? *m.filter : store::alert_filter{},
                                                             position(m.before), std::min(m.max, rows_max))};
  }

  boxed<store::incident_page> on_incidents(const list_incidents& m) const {
    if (m.number == 0)
      return boxed<store::incident_page>{
        deps_.store->incidents(m.open_only, position(m.before), std::min(m.max, rows_max))};
    store::incident_page page;
    if (auto found = newest(deps_.store->find_incident(m.number)))
      page.incidents.push_back(std::move(*found));
    return boxed<store::incident_page>{std::move(page)};
  }

  boxed<store::bulk_page> on_bulk_acts(const list_bulk_acts& m) const {
    if (m.number == 0)
      return boxed<store::bulk_page>{
        deps_.store->bulk_acts(m.open_only, position(m.before), std::min(m.max, rows_max))};
    return boxed<store::bulk_page>{newest(deps_.store->find_bulk_act(m.number))};
  }

  schedule_page on_schedules(const list_schedules& m) const {
    if (m.name.empty())
      return {boxes(deps_.store->schedules(m.after, std::min(m.max, rows_max)))};
    schedule_page page;
    if (auto found = newest(deps_.store->find_schedule(m.name)))
      page.schedules.emplace_back(*std::move(found));
    return page;
  }

  boxed<store::event_page> on_events(const list_events& m) {
    return boxed<store::event_page>{deps_.store->events({m.name, m.key, m.task}, deps_.clock.reading(this).now, m.after,
                                                        std::min<std::size_t>(m.max, rows_max))};
  }

  limit_queue on_limit_queue(const find_limit_queue& m) const {
    auto found = newest(deps_.store->find_limit_queue(m.number));
    return found ? limit_queue{true, std::move(found->holders), found->before, found->free_at} : limit_queue{};
  }

  items_undo on_items_undo(const find_items_undo& m) const {
    auto found = newest(deps_.store->find_items_undo(m.number, m.step));
    return found ? items_undo{found->tasks, std::move(found->first), found->first_under_way, found->first_in_error}
                 : items_undo{};
  }

  lease_page on_leases() {
    const auto clock = deps_.clock.reading(this);
    workflow::write_times times{since_, workflow::unset};
    if (deps_.pauses) // before it is read, or a renewal could be stored in between
      times = {since_, deps_.pauses->again, deps_.pauses->waiting_since};
    auto leases = deps_.store->leases(deps_.is_only_read ? workflow::clock_reading{clock.now} : clock);
    auto last_end = workflow::unset;
    for (const auto& l : leases)
      if (l.expires_at <= clock.now)
        last_end = std::max(last_end, l.expires_at);
    return {boxes(std::move(leases)), clock.now, workflow::renewable_since(times, last_end, clock.now)};
  }

  overdue_page on_overdue(const find_overdue& m) {
    std::optional<std::pair<workflow::instant, std::uint64_t>> after;
    if (m.after_number != 0)
      after.emplace(m.after_due, m.after_number);
    auto found = deps_.store->overdue(m.now, after, std::min(m.max, overdue_max));
    report_damage();
    overdue_page page;
    page.definitions = definitions_.of(found.tasks, *deps_.store);
    page.more = found.next.has_value();
    if (page.more)
      std::tie(page.next_due, page.next_number) = *found.next;
    for (auto& t : found.tasks)
      page.tasks.emplace_back(std::move(t));
    return page;
  }

  notice_page on_notices(const find_notices& m) {
    notice_page page;
    for (auto& n : deps_.store->notices(m.observer, 0, 0, std::min(m.max, rows_max)))
      page.notices.push_back({m.observer, n.task_number, n.task_id, n.what.sequence,
                              static_cast<std::uint8_t>(n.what.kind), n.what.step, n.what.text, n.what.at});
    return page;
  }

  void report_damage() {
    if (!deps_.files)
      return;
    for (auto& found : deps_.files->damaged()) {
      found.now = deps_.clock.now(this);
      write_request w;
      w.what = boxed<store::write>{std::move(found)};
      tell_from_outside(deps_.store_actor, write_requests{{std::move(w)}}); // no answer: it takes none
    }
  }

  static constexpr std::size_t questions_max = 64;

  reader_deps deps_;
  std::deque<std::unique_ptr<long_question>> questions_; ///< under way, in turns
  workflow::instant since_;                              ///< when the store was opened
  known_definitions definitions_;
};

} // namespace

reader_actor spawn_reader(caf::actor_system& sys, reader_deps deps, bool detached) {
  if (detached)
    return sys.spawn<store_reader, caf::detached>(std::move(deps));
  return sys.spawn<store_reader>(std::move(deps));
}

} // namespace steadfast::actors
