// Delivers the notifications of one webhook, which wait in the store until the receiver has taken them: at least once,
// those of a task in their order. workflow/outward/delivery_queue.hpp decides; a caller, as agents have, makes the
// calls.

#include "actors/supervising/webhook.hpp"

#include "actors/agents/call_outcome.hpp"
#include "actors/common/deadline_timer.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/one_write.hpp"
#include "actors/common/state_tree.hpp"
#include "workflow/text/name.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace steadfast::actors {

namespace {

using webhook_self = webhook_actor::extend<takes<void(call_outcomes)>>;
using workflow::delivery_place;

class webhook : public observed<webhook_self> {
public:
  webhook(caf::actor_config& cfg, webhook_deps deps)
      : observed{cfg},
        deps_{std::move(deps)},
        observer_{workflow::observer_of_webhook(deps_.what.webhook)},
        queue_{deps_.delivery},
        caller_{deps_.make(tells<webhook_self>(this))} {}

  const char* name() const override { return "webhook"; }

  void on_exit() override {
    tests_.clear();
    caller_.reset();
    deps_ = {};
  }

  behavior_type make_behavior() override {
    tell(this, deps_.store, subscribe{every_task});
    go_on();
    return {
      one_by_one<const writes_done>([this](const write_done& w) {
        on_written(w);
        go_on();
      }),
      [this](const store_news&) {
        if (!std::exchange(is_news_, true))
          go_on();
      },
      [this](const tick_timer& m) {
        if (timer_.fires<webhook_self>(this, deps_.clock, m))
          go_on();
      },
      [this](const inspect_state&) { return state(); },
      [this](const test_webhook&) { return on_test(); },
      one_by_one<const call_outcomes>([this](const ended_call& c) {
        on_over(c.ticket, c.what);
        go_on();
      }),
    };
  }

private:
  struct open_call {
    std::optional<delivery_place> place; ///< absent: it is a test
    workflow::instant began_at;
    bool is_stopped = false;
  };

  workflow::instant now() const { return deps_.clock.now(this); }

  void go_on() {
    const auto at = now();
    look(at);
    stop_late_calls(at);
    for (const auto& p : queue_.give_up(at))
      give_up(p, "the receiver is away");
    while (const auto p = queue_.next(at))
      deliver(queue_.at(*p).what, p, at);
    auto due = std::min(queue_.next_due(), next_look());
    for (const auto& [ticket, c] : calls_)
      if (!c.is_stopped)
        due = std::min(due, c.began_at + deps_.call_limit);
    timer_.set<webhook_self>(this, deps_.clock, due);
  }

  // ---- what waits in the store ----

  workflow::instant next_look() const {
    const bool is_soon = is_news_ || there_are_more_ || !not_taken_.empty();
    return looked_at_ + (is_soon ? deps_.look_every : deps_.look_rarely);
  }

  void look(workflow::instant at) {
    if (at < next_look())
      return;
    looked_at_ = at;
    for (const auto& p : std::exchange(not_taken_, {}))
      acknowledge(p);
    if (is_reading_ || !queue_.has_room())
      return;
    is_reading_ = true;
    is_news_ = false;
    ask(this, deps_.reader, deps_.reader_limit, find_notices{observer_, 2 * deps_.delivery.window})
      .then(
        [this](const notice_page& page) {
          on_page(page);
          go_on();
        },
        [this](const caf::error&) {
          is_reading_ = false;
          is_news_ = true;
          go_on();
        });
  }

  void on_page(const notice_page& page) {
    is_reading_ = false;
    there_are_more_ = page.notices.size() >= 2 * deps_.delivery.window;
    for (const auto& n : page.notices) {
      const auto left = left_while_reading_.find(n.task_number);
      if (left != left_while_reading_.end() && n.sequence <= left->second)
        continue;
      if (!queue_.has_room()) {
        there_are_more_ = true;
        break;
      }
      queue_.take_in({n.task_number, n.sequence}, {n.step, n.text, n.at});
    }
    left_while_reading_.clear();
  }

  // ---- calls ----

  void deliver(const workflow::notification& what, std::optional<delivery_place> place, workflow::instant at) {
    const auto ticket = ++last_ticket_;
    calls_[ticket] = {place, at};
    call c;
    c.step = deps_.what.webhook;
    c.key = what.id;
    c.input = what.body;
    c.began_at = at;
    c.complete_by = at + deps_.call_limit;
    c.try_number = place ? queue_.at(*place).tries : 1;
    if (const auto a = caller_->start(ticket, std::move(c)))
      on_over(ticket, *a);
  }

  void stop_late_calls(workflow::instant at) {
    for (auto& [ticket, c] : calls_)
      if (!c.is_stopped && at >= c.began_at + deps_.call_limit) {
        c.is_stopped = true;
        caller_->stop(ticket);
      }
  }

  void on_over(call_ticket ticket, const answer& a) {
    const auto found = calls_.find(ticket);
    if (found == calls_.end())
      return;
    const auto c = found->second;
    calls_.erase(found);
    const auto why = a.kind == report_kind::stopped
                       ? "no answer within " + std::to_string(deps_.call_limit.count()) + " ms"
                       : workflow::clipped(a.why, why_size_max);
    if (!c.place)
      return end_test(ticket, {a.kind == report_kind::succeeded, why, now() - c.began_at});
    if (a.kind == report_kind::succeeded)
      on_delivered(*c.place);
    else
      on_failed(*c.place, why, a.retry_after);
  }

  void on_delivered(const delivery_place& p) {
    ++delivered_;
    last_delivered_at_ = now();
    if (queue_.is_away())
      warn("the receiver is back");
    queue_.delivered(p);
    acknowledge(p);
  }

  void on_failed(const delivery_place& p, const std::string& why, workflow::span retry_after) {
    ++failed_;
    last_failure_ = why;
    last_failure_at_ = now();
    const bool was_away = queue_.is_away();
    const auto chance = workflow::mixed(p.lane, p.sequence, failed_);
    const auto then = queue_.failed(p, {retry_after, chance}, last_failure_at_);
    if (!was_away && queue_.is_away())
      warn("the receiver is away: " + why);
    if (then == workflow::delivery_queue::after_failure::given_up)
      give_up(p, why);
  }

  /// Kept among the alerts, as what was done.
  void give_up(const delivery_place& p, const std::string& why) {
    ++given_up_;
    const auto what = "gave up the notification " + queue_.at(p).what.id + " for webhook " + deps_.what.webhook;
    warn(what + ": " + why);
    tell_one_write(this, deps_.store, ++last_write_,
                   store::record_act{"webhook " + deps_.what.webhook, what, why, now()});
    acknowledge(p);
  }

  void warn(const std::string& what) const {
    if (deps_.warn)
      deps_.warn("webhook " + deps_.what.webhook + ": " + what);
  }

  void acknowledge(const delivery_place& p) {
    acknowledged_[++last_write_] = p;
    tell_one_write(this, deps_.store, last_write_, store::acknowledge_notices{observer_, p.lane, p.sequence});
  }

  void on_written(const write_done& m) {
    const auto found = acknowledged_.find(m.ticket);
    if (found == acknowledged_.end())
      return;
    const auto p = found->second;
    acknowledged_.erase(found);
    if (m.outcome->result != store::write_status::applied) {
      not_taken_.push_back(p);
      return;
    }
    queue_.forget(p);
    if (is_reading_)
      left_while_reading_[p.lane] = p.sequence;
  }

  // ---- tests ----

  caf::result<webhook_tried> on_test() {
    const auto at = now();
    auto promise = make_response_promise<webhook_tried>();
    tests_[last_ticket_ + 1] = promise;
    deliver(workflow::test_told(deps_.what.webhook, last_ticket_ + 1, at), std::nullopt, at);
    go_on();
    return promise;
  }

  void end_test(call_ticket ticket, webhook_tried how) {
    if (auto test = tests_.extract(ticket))
      test.mapped().deliver(std::move(how));
  }

  // ---- what it shows ----

  actor_state state() const {
    std::vector<std::string> events;
    for (const auto e : deps_.what.events)
      events.push_back(state_value{workflow::to_string(e)}.json());
    std::vector<std::string> workflows;
    for (const auto& w : deps_.what.workflows)
      workflows.push_back(state_value{w}.json());
    const auto oldest = queue_.oldest();
    const auto waits = (there_are_more_ ? "more than " : "") + counted(queue_.size(), "notification");
    const auto text = queue_.size() == 0 ? "all delivered" : waits + (queue_.size() == 1 ? " waits" : " wait");
    return state_of(text + (queue_.is_away() ? "; the receiver is away: " + last_failure_ : ""),
                    {{"name", deps_.what.webhook},
                     {"kind", caller_->kind()},
                     {"service", caller_->service()},
                     {"events", state_value::array(events)},
                     {"workflows", state_value::array(workflows)},
                     {"waiting", queue_.size()},
                     {"more_waiting", there_are_more_},
                     {"oldest_at", oldest},
                     {"oldest_ms", oldest == workflow::never ? 0 : std::max<std::int64_t>((now() - oldest).count(), 0)},
                     {"under_way", queue_.under_way()},
                     {"delivered", delivered_},
                     {"failed", failed_},
                     {"given_up", given_up_},
                     {"away", queue_.is_away()},
                     {"paused_until", queue_.paused_until()},
                     {"last_delivered_at", last_delivered_at_},
                     {"last_failure", last_failure_},
                     {"last_failure_at", last_failure_at_}},
                    queue_.size());
  }

  static constexpr std::size_t why_size_max = 1024;

  webhook_deps deps_;
  const std::string observer_;
  workflow::delivery_queue queue_;
  std::unique_ptr<caller> caller_;
  deadline_timer timer_;
  workflow::instant looked_at_;
  bool is_news_ = true; ///< since it looked
  bool is_reading_ = false;
  bool there_are_more_ = false;                               ///< than are in memory, when it looked last
  std::map<std::uint64_t, std::uint32_t> left_while_reading_; ///< by lane: what a page may still show up to there
  std::map<call_ticket, open_call> calls_;
  call_ticket last_ticket_ = 0;
  std::map<std::uint64_t, delivery_place> acknowledged_; ///< by the ticket of the write, which is on its way
  std::vector<delivery_place> not_taken_;                ///< acknowledgements that the store did not take
  std::uint64_t last_write_ = 0;
  std::map<call_ticket, caf::typed_response_promise<webhook_tried>> tests_;
  std::uint64_t delivered_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t given_up_ = 0;
  workflow::instant last_delivered_at_;
  std::string last_failure_;
  workflow::instant last_failure_at_;
};

} // namespace

webhook_actor spawn_webhook(caf::actor_system& sys, webhook_deps deps) {
  return sys.spawn<webhook>(std::move(deps));
}

} // namespace steadfast::actors
