#include "apps/bench/load/driver.hpp"

#include "actors/protocol/speak.hpp"
#include "apps/bench/figures/histogram.hpp"
#include "apps/bench/figures/process_figures.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace steadfast::bench {

/// It is time to look at the clock.
struct drive_on {};
STEADFAST_MESSAGE(drive_on)

/// Stop at once: the result no longer matters.
struct stop_driving {};
STEADFAST_MESSAGE(stop_driving)

/// Of one commit.
struct tasks_ended {
  ended_tasks indexes;
  std::int64_t at = 0; ///< by the steady clock, in its ticks
};
STEADFAST_MESSAGE(tasks_ended, x.indexes, x.at)

/// A submission that was pushed back is due again.
struct submit_again {
  std::uint64_t index = 0;
};
STEADFAST_MESSAGE(submit_again, x.index)

namespace {

constexpr std::chrono::milliseconds tick{1};

using driver_actor =
  caf::typed_actor<actors::takes<void(drive_on)>, actors::takes<void(stop_driving)>, actors::takes<void(tasks_ended)>,
                   actors::takes<void(submit_again)>, actors::takes<void(actors::receipt)>>;

struct moment {
  steady::time_point at;
  process_figures process;
  store_figures store;
};

steady::duration in_seconds(double s) {
  return std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>{s});
}

class driver : public driver_actor::base {
public:
  driver(caf::actor_config& cfg, const load_target& target, const workload& w, const load_plan& plan,
         std::promise<nlohmann::json>& result)
      : driver_actor::base{cfg},
        gateway_{target.gateway},
        stores_{target.stores},
        workload_{w},
        plan_{plan},
        result_{result},
        next_{plan.first} {}

  const char* name() const override { return "driver"; }

  void on_exit() override {
    gateway_ = actors::gateway_actor{};
    if (std::exchange(phase_, phase::over) != phase::over)
      result_.set_exception(std::make_exception_ptr(std::runtime_error{"the driver ended before its measurement"}));
  }

  behavior_type make_behavior() override {
    begun_ = steady::now();
    for (; next_ - plan_.first < plan_.there_before; ++next_)
      open_[next_] = {begun_, false, true};
    while (open_.size() < plan_.in_flight)
      submit(begun_);
    actors::tell(this, driver_actor{this}, drive_on{});
    return {
      [this](drive_on) { on_tick(); },
      [this](stop_driving) { finish(); },
      [this](const tasks_ended& m) { on_ended(m); },
      [this](const submit_again& m) { hand_in(m.index); },
      [this](const actors::receipt& r) { on_receipt(r); },
    };
  }

private:
  enum class phase : std::uint8_t { warming_up, measuring, draining, over };

  struct open_task {
    steady::time_point due;
    bool is_counted = false; ///< open loop: it was due while measuring
    bool is_answered = false;
  };

  // ---- time ----

  void on_tick() {
    const auto now = steady::now();
    if (phase_ == phase::warming_up && now >= begun_ + in_seconds(plan_.warm_up))
      begin_measuring();
    if (phase_ == phase::measuring && now >= before_.at + in_seconds(plan_.seconds))
      end_measuring();
    if (phase_ == phase::draining && (open_.empty() || now >= after_.at + in_seconds(plan_.drain_limit)))
      return finish();
    if (plan_.in_flight == 0)
      submit_due(now);
    actors::tell_after(this, driver_actor{this}, tick, drive_on{});
  }

  moment look() const { return {steady::now(), figures_now(), figures_of(stores_)}; }

  void begin_measuring() {
    phase_ = phase::measuring;
    before_ = look();
  }

  void end_measuring() {
    phase_ = phase::draining;
    after_ = look();
    left_open_ = open_.size();
  }

  // ---- submitting ----

  /// Each submission has its moment, counted from the beginning: if it is late, its client waits longer.
  void submit_due(steady::time_point now) {
    const auto end = begun_ + in_seconds(plan_.warm_up + plan_.seconds);
    for (;;) {
      const auto due = begun_ + in_seconds(static_cast<double>(next_ - plan_.first) / plan_.rate);
      if (due > now || due >= end)
        return;
      submit(due);
    }
  }

  void submit(steady::time_point due) {
    const auto index = next_++;
    open_[index] = {due, due >= begun_ + in_seconds(plan_.warm_up)};
    hand_in(index);
  }

  void hand_in(std::uint64_t index) {
    actors::tell(this, gateway_, actors::boxed<workflow::submission>{submission_of(workload_, index)});
  }

  void on_receipt(const actors::receipt& r) {
    const auto index = index_of(r.id);
    const auto found = index ? open_.find(*index) : open_.end();
    if (found == open_.end())
      return;
    if (r.result == store::write_status::full) {
      ++pushed_back_;
      return actors::tell_after(this, driver_actor{this}, r.retry_after, submit_again{*index});
    }
    if (r.result != store::write_status::applied) {
      ++refused_;
      why_ = r.why;
      return close(found);
    }
    const auto now = steady::now();
    ++acknowledgements_;
    found->second.is_answered = true;
    if (counts(found->second))
      acknowledged_.add(now - found->second.due);
    if (plan_.until_acknowledged || stores_.empty())
      close(found);
  }

  void on_ended(const tasks_ended& m) {
    const steady::time_point at{steady::duration{m.at}};
    count_in_slot(at, m.indexes.size());
    for (const auto index : m.indexes)
      if (const auto found = open_.find(index); found != open_.end()) {
        if (counts(found->second))
          completed_.add(at - found->second.due);
        close(found);
      }
  }

  void count_in_slot(steady::time_point at, std::size_t ended) {
    constexpr std::size_t slots_max = 36'000; // an hour
    const auto slot =
      static_cast<std::size_t>(std::chrono::duration<double>(at - begun_).count() / load_plan::slot_seconds);
    if (slot >= slots_max)
      return;
    ended_in_slots_.resize(std::max(ended_in_slots_.size(), slot + 1));
    ended_in_slots_[slot] += static_cast<std::uint32_t>(ended);
  }

  /// In a closed loop what happens while measuring, in an open one what was due then, even if it happens later.
  bool counts(const open_task& t) const { return plan_.in_flight > 0 ? phase_ == phase::measuring : t.is_counted; }

  void close(std::unordered_map<std::uint64_t, open_task>::iterator t) {
    open_.erase(t);
    if (plan_.in_flight > 0 && phase_ < phase::draining)
      submit(steady::now());
  }

  // ---- what came of it ----

  void finish() {
    if (phase_ == phase::over)
      return;
    phase_ = phase::over;
    drained_ = look();
    result_.set_value(result());
    quit();
  }

  nlohmann::json result() const {
    const auto seconds = std::chrono::duration<double>(after_.at - before_.at).count();
    const auto per_second = [seconds](std::uint64_t n) { return static_cast<double>(n) / seconds; };
    const auto ended = after_.store.ended - before_.store.ended;
    nlohmann::json j{{"seconds", seconds},
                     {"tasks_per_second", per_second(ended)},
                     {"transitions_per_second", per_second(after_.store.transitions - before_.store.transitions)},
                     {"submissions_per_second", per_second(after_.store.submitted - before_.store.submitted)},
                     {"acknowledged_ms", acknowledged_.json()},
                     {"submitted", next_ - plan_.first},
                     {"acknowledged", acknowledgements_},
                     {"left_open", left_open_},
                     {"drain_seconds", std::chrono::duration<double>(drained_.at - after_.at).count()},
                     {"unfinished", open_.size()},
                     {"unanswered", unanswered()},
                     {"refused", refused_},
                     {"pushed_back", pushed_back_},
                     {"why", why_},
                     {"ended_in_slots", ended_in_slots_},
                     {"resident_bytes", after_.process.resident},
                     {"resident_peak_bytes", drained_.process.resident_peak}};
    if (stores_.empty()) {
      j.erase("transitions_per_second");
      j["submissions_per_second"] = per_second(acknowledged_.count());
      return j;
    }
    if (!plan_.until_acknowledged)
      j["completed_ms"] = completed_.json();
    add_costs(j, plan_.in_flight > 0 && !plan_.until_acknowledged ? after_ : drained_);
    return j;
  }

  std::uint64_t unanswered() const {
    return static_cast<std::uint64_t>(
      std::count_if(open_.begin(), open_.end(), [](const auto& t) { return !t.second.is_answered; }));
  }

  /// Per task that ended between the beginning of measuring and `end`.
  void add_costs(nlohmann::json& j, const moment& end) const {
    const auto& a = before_;
    const auto tasks = static_cast<double>(std::max<std::uint64_t>(end.store.ended - a.store.ended, 1));
    const auto ms = [tasks](double s) { return s * 1000 / tasks; };
    const auto each = [tasks](std::uint64_t n) { return static_cast<double>(n) / tasks; };
    j["per_task"] = {{"cpu_ms", ms(end.process.cpu_seconds - a.process.cpu_seconds)},
                     {"writer_cpu_ms", ms(end.store.writer_cpu_seconds - a.store.writer_cpu_seconds)},
                     {"commit_cpu_ms", ms(end.store.commit_cpu_seconds - a.store.commit_cpu_seconds)},
                     {"commit_ms", ms(end.store.commit_seconds - a.store.commit_seconds)},
                     {"bytes_written", each(end.process.bytes_written - a.process.bytes_written)},
                     {"synced_commits", each(end.store.synced - a.store.synced)},
                     {"commits", each(end.store.commits - a.store.commits)},
                     {"writes", each(end.store.writes - a.store.writes)},
                     {"transitions", each(end.store.transitions - a.store.transitions)}};
  }

  actors::gateway_actor gateway_;
  watched_stores stores_;
  workload workload_;
  load_plan plan_;
  std::promise<nlohmann::json>& result_;
  phase phase_ = phase::warming_up;
  steady::time_point begun_;
  moment before_;
  moment after_;
  moment drained_;
  std::uint64_t next_;
  std::unordered_map<std::uint64_t, open_task> open_;
  std::vector<std::uint32_t> ended_in_slots_;
  histogram acknowledged_;
  histogram completed_;
  std::uint64_t acknowledgements_ = 0;
  std::uint64_t left_open_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t pushed_back_ = 0;
  std::string why_;
};

} // namespace

nlohmann::json drive(const load_target& target, const workload& w, const load_plan& plan,
                     const std::function<bool()>& is_stopped) {
  constexpr std::chrono::milliseconds look_again{50};
  std::promise<nlohmann::json> result;
  auto future = result.get_future();
  const driver_actor d = target.system.spawn<driver>(target, w, plan, result);
  on_ended(target.stores, [d](ended_tasks indexes) {
    actors::tell_from_outside(d, tasks_ended{std::move(indexes), steady::now().time_since_epoch().count()});
  });
  while (future.wait_for(look_again) != std::future_status::ready)
    if (is_stopped())
      actors::tell_from_outside(d, stop_driving{});
  on_ended(target.stores, {});
  return future.get();
}

} // namespace steadfast::bench
