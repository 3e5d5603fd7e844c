// The only writer: a write waits until the mailbox has been read once, then goes to disk together with all that arrived
// meanwhile. While a commit is on its way the thread is busy, so the next batch collects in the mailbox by itself. A
// store whose commits travel takes several at a time: they are begun at even distances, so that each is large.

#include "actors/storing/store_actor.hpp"

#include "actors/common/known_definitions.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"
#include "actors/storing/commit_news.hpp"
#include "actors/storing/store_figures.hpp"
#include "workflow/definition/retry.hpp"
#include "workflow/definition/routing.hpp"
#include "workflow/supervision/decided_by.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

namespace steadfast::actors {

namespace {

constexpr workflow::span retry_when_full{5000};
constexpr workflow::span retry_when_busy{1000};

/// A write on its way to disk, and who waits for it.
struct queued_write {
  boxed<store::write> what;
  std::optional<caf::typed_response_promise<receipt>> submitter;
  store_client client;
  std::uint64_t ticket = 0;
  std::string holder;
};

struct subscriber {
  store_client client;
  std::string scheduler;
  std::uint64_t in_flight = 0; ///< tasks that it had when it claimed last
  bool claims = false;         ///< it has claimed since it was offered work last
  bool bulk_only = false;
  bool watches = false; ///< every task
};

class store_committer : public observed<own_store_actor>, public has_figures<store_figures> {
public:
  store_committer(caf::actor_config& cfg, store_actor_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "store_actor"; }
  const store_figures& figures() const override { return figures_; }

  /// Circular handles keep each other alive, and the system waits until a detached actor is freed.
  void on_exit() override {
    while (!under_way_.empty())
      end_oldest();
    let_go_of_store();
    queue_.clear();
    subscribers_.clear();
    deps_ = {};
  }

  behavior_type make_behavior() override {
    set_down_handler([this](caf::down_msg& m) { on_down(m); });
    const auto me = address();
    try {
      if (deps_.files)
        deps_.files->share([me] { tell_first(caf::actor_cast<store_actor>(me), save_commits{}); });
    } catch (const store::store_error& e) { // commits cost more, and nothing else
      unshared_ = e.what();
    }
    return {
      [this](const boxed<workflow::submission>& m) { return on_submission(m); },
      [this](flush) { on_flush(); },
      [this](save_commits m) { on_save(m); },
      [this](const write_requests& m) { on_writes(m); },
      [this](const subscribe& m) { on_subscribe(m); },
      [this](const inspect_state& m) { return state(m.listed_max); },
      [this](const drain&) { return on_drain(); },
    };
  }

private:
  caf::result<receipt> on_submission(const boxed<workflow::submission>& m) {
    if (passes_on_)
      return delegate(deps_.next, m);
    if (!m)
      return receipt_without_task({}, store::write_status::refused, "the submission is empty");
    if (deps_.backlog_max > 0 && queue_.size() >= deps_.backlog_max) {
      figures_.pushed_back.add();
      return receipt_without_task(m->id, store::write_status::full, "too many submissions are waiting for the disk",
                                  retry_when_busy);
    }
    queued_write w;
    w.what = boxed<store::write>{store::submit_task{*m, deps_.clock.now(this)}};
    w.submitter = make_response_promise<receipt>();
    auto answer = *w.submitter;
    enqueue_write(std::move(w));
    return answer;
  }

  void on_writes(const write_requests& m) {
    if (passes_on_)
      delegate(deps_.next, m);
    else
      for (const auto& r : m.all)
        on_write(r);
  }

  void on_write(const write_request& m) {
    queued_write w;
    w.what = at(deps_.clock.reading(this), m.what);
    w.client = sender_of<store_client>(this);
    w.ticket = m.ticket;
    w.holder = m.holder;
    if (const auto why = other_clock_of(m); !why.empty())
      return turn_away_by_other_clock(w, not_now(why + "; the node has yet to learn of that"));
    enqueue_write(std::move(w));
  }

  /// The store is another node's then. Whoever does not know yet is served there, by way of this node.
  drained on_drain() {
    if (!deps_.next)
      return {};
    while (!stopped_ && !(queue_.empty() && under_way_.empty())) {
      if (!queue_.empty())
        begin_commit();
      end_oldest();
    }
    passes_on_ = true;
    subscribers_.clear();
    let_go_of_store();
    return {};
  }

  /// Whoever reads meanwhile waits for nobody who is gone.
  void let_go_of_store() {
    save();
    if (deps_.files && unshared_.empty())
      deps_.files->share({});
    deps_.files.reset();
    deps_.store.reset();
  }

  void on_subscribe(const subscribe& m) {
    if (passes_on_) {
      delegate(deps_.next, m);
      return;
    }
    subscriber s{sender_of<store_client>(this), m.scheduler, m.bulk_only};
    s.watches = m.scheduler == every_task;
    monitor(s.client);
    if (s.watches)
      tell(this, s.client, store_news{});
    subscribers_.push_back(std::move(s));
  }

  void on_down(const caf::down_msg& m) {
    const auto gone = [&](const subscriber& s) { return s.client.address() == m.source; };
    subscribers_.erase(std::remove_if(subscribers_.begin(), subscribers_.end(), gone), subscribers_.end());
  }

  void enqueue_write(queued_write w) {
    queue_.push_back(std::move(w));
    view_.waiting = queue_.size();
    arm_flush();
  }

  void arm_flush(caf::timespan after = {}) {
    if (std::exchange(flush_armed_, true))
      return;
    if (after.count() > 0)
      tell_after(this, store_actor{this}, after, flush{});
    else
      tell(this, store_actor{this}, flush{});
  }

  void on_flush() {
    flush_armed_ = false;
    if (stopped_)
      return;
    const bool is_time = until_next_commit().count() <= 0;
    const bool begins = is_time && !queue_.empty();
    if (begins)
      begin_commit();
    if (!under_way_.empty() && (under_way_.size() >= deps_.store->commits_at_once() || (is_time && !begins)))
      end_oldest();
    view_.waiting = queue_.size();
    if (!queue_.empty() || !under_way_.empty())
      arm_flush(until_next_commit());
  }

  /// Those under way share the time that one takes.
  caf::timespan until_next_commit() const {
    if (under_way_.empty())
      return {};
    const auto since = clock().now() - under_way_.back().begun;
    return usual_time_of_commit() / deps_.store->commits_at_once() - since;
  }

  void begin_commit() {
    commit_under_way c;
    for (; !queue_.empty() && c.batch.size() < deps_.batch_max; queue_.pop_front())
      c.batch.push_back(std::move(queue_.front()));
    store::write_list writes;
    writes.reserve(c.batch.size());
    for (const auto& w : c.batch)
      writes.push_back(&*w.what);
    c.begun = clock().now();
    c.begun_at = deps_.clock.now(this);
    if (under_way_.empty())
      deps_.pauses->waiting_since = c.begun_at;
    try {
      c.end = deps_.store->begin_commit(writes);
    } catch (const store::store_error&) {
      c.end = [why = std::current_exception()]() -> std::vector<store::outcome> { std::rethrow_exception(why); };
    }
    under_way_.push_back(std::move(c));
    if (!std::exchange(save_armed_, true))
      tell_after(this, store_actor{this}, deps_.save_after, save_commits{true});
  }

  /// Waits for it.
  void end_oldest() {
    auto c = std::move(under_way_.front());
    under_way_.pop_front();
    try {
      auto outcomes = c.end();
      count_commit(c.batch.size(), c.begun);
      note_trouble(outcomes);
      answer_all(c.batch, std::move(outcomes));
    } catch (const store::store_error& e) {
      if (e.is_fatal())
        return stop_for_good(e.what());
      tell_trouble(e.what());
      answer_all(c.batch, std::vector<store::outcome>(c.batch.size(), not_now(e.what())));
    }
    deps_.pauses->waiting_since = under_way_.empty() ? workflow::never : under_way_.front().begun_at;
    set_damaged_aside();
  }

  void on_save(save_commits m) {
    if (m.is_due)
      save_armed_ = false;
    if (const auto why = save(); !why.empty() && !stopped_)
      stop_for_good(why);
  }

  /// Why the process must not go on; empty: it may.
  std::string save() {
    try {
      if (deps_.files)
        deps_.files->save();
      return {};
    } catch (const store::store_error& e) {
      return e.what();
    }
  }

  void note_trouble(const std::vector<store::outcome>& outcomes) {
    const bool is_unknown = !outcomes.empty() && outcomes.front().result == store::write_status::unknown_outcome;
    tell_trouble(is_unknown ? outcomes.front().why : std::string{});
  }

  /// Why the store takes no writes now; empty: it does. Told when it begins and when it is over.
  void tell_trouble(const std::string& why) {
    if (deps_.warn && why.empty() != view_.trouble.empty())
      deps_.warn(why.empty() ? "the store takes writes again" : "the store takes no writes: " + why);
    if (why.empty() != view_.trouble.empty())
      deps_.pauses->again = why.empty() ? deps_.clock.now(this) : workflow::never;
    view_.trouble = why;
  }

  /// One clock decides every write, whatever clock its sender has: by the time when it arrived here.
  static boxed<store::write> at(const workflow::clock_reading& clock, const boxed<store::write>& w) {
    if (const auto* u = std::get_if<store::update_task>(&*w); u != nullptr && !u->guard)
      return w; // nothing in it depends on the time
    return std::visit(
      [&](const auto& x) {
        if constexpr (requires { x.now; }) {
          auto stamped = x;
          if constexpr (std::is_same_v<decltype(stamped.now), workflow::clock_reading>)
            stamped.now = clock;
          else
            stamped.now = clock.now;
          return boxed<store::write>{store::write{std::move(stamped)}};
        } else {
          return w;
        }
      },
      *w);
  }

  std::string other_clock_of(const write_request& m) const {
    const bool is_timed = std::holds_alternative<store::update_task>(*m.what);
    return is_timed ? workflow::why_not_by(m.decided_by, deps_.clock.reading(this)) : std::string{};
  }

  static store::outcome not_now(std::string why) { return store::decision{store::write_status::full, std::move(why)}; }

  void count_commit(std::size_t writes, caf::actor_clock::time_point begun) {
    ++view_.commits;
    view_.writes += writes;
    view_.largest_batch = std::max<std::uint64_t>(view_.largest_batch, writes);
    view_.last_commit_us =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(clock().now() - begun).count());
    figures_.count_commit(writes, static_cast<std::int64_t>(view_.last_commit_us));
    last_commits_.push_front({deps_.clock.now(this), writes, view_.last_commit_us});
    if (last_commits_.size() > commits_kept)
      last_commits_.pop_back();
  }

  /// The median of the last ones.
  caf::timespan usual_time_of_commit() const {
    std::array<std::uint64_t, 9> times{};
    const auto n = std::min(times.size(), last_commits_.size());
    for (std::size_t i = 0; i < n; ++i)
      times[i] = last_commits_[i].took_us;
    std::nth_element(times.begin(), times.begin() + n / 2, times.begin() + n);
    return std::chrono::microseconds{times[n / 2]};
  }

  actor_state state(std::size_t listed_max) const {
    const auto commit = [](const commit_made& c) -> state_tree {
      return {{"at", c.at}, {"writes", c.writes}, {"took_us", c.took_us}};
    };
    const auto listener = [](const subscriber& s) -> state_tree {
      return {{"node", s.client ? caf::to_string(s.client.node()) : ""},
              {"scheduler", s.scheduler},
              {"in_flight", s.in_flight}};
    };
    const auto unshared = unshared_.empty() ? "" : "; each commit is saved by itself, since " + unshared_;
    return state_of(counted(view_.waiting, "write") + " waiting, last commit took "
                      + std::to_string(view_.last_commit_us) + " us" + unshared
                      + (view_.trouble.empty() ? "" : "; it takes no writes: " + view_.trouble),
                    {{"waiting", view_.waiting},
                     {"commits", view_.commits},
                     {"writes", view_.writes},
                     {"largest_batch", view_.largest_batch},
                     {"last_commit_us", view_.last_commit_us},
                     {"backlog_max", deps_.backlog_max},
                     {"stopped", stopped_},
                     {"trouble", view_.trouble},
                     {"last_commits", listed(last_commits_, listed_max, commit)},
                     {"subscribers", listed(subscribers_, listed_max, listener)}});
  }

  /// What is on disk is no longer known: nobody is answered, nothing is written, the process ends.
  void stop_for_good(const std::string& why) {
    stopped_ = true;
    queue_.clear();
    under_way_.clear();
    if (deps_.on_fatal)
      deps_.on_fatal(why);
  }

  void answer_all(std::vector<queued_write>& batch, std::vector<store::outcome> outcomes) {
    commit_news told;
    std::map<store_client, writes_done> answers;
    for (std::size_t i = 0; i < batch.size(); ++i)
      add_news(told, *batch[i].what, batch[i].holder, outcomes[i]);
    settle_doubts(told, outcomes);
    tell_watchers(told);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto& w = batch[i];
      learn_load(*w.what, outcomes[i]);
      figures_.count(*w.what, outcomes[i]);
      if (deps_.on_end)
        tell_of_end(*w.what, outcomes[i]);
      if (w.submitter)
        w.submitter->deliver(receipt_of(std::get<store::submit_task>(*w.what).what.id, outcomes[i]));
      else
        answers[w.client].all.push_back(answer_to(w, std::move(outcomes[i])));
    }
    for (auto& [client, answer] : answers) {
      answer.clock = deps_.clock.reading(this).set_at;
      tell(this, client, std::move(answer));
    }
    spread(told);
  }

  /// While it was not known what became of a commit, who looked saw the store without it. The first that is made after
  /// it shows that it is known.
  void settle_doubts(commit_news& told, const std::vector<store::outcome>& outcomes) {
    const bool is_made = std::any_of(outcomes.begin(), outcomes.end(),
                                     [](const auto& o) { return o.result == store::write_status::applied; });
    if (told.is_in_doubt) {
      is_in_doubt_ = true;
      in_doubt_.insert(in_doubt_.end(), told.in_doubt.begin(), told.in_doubt.end());
    } else if (is_made && std::exchange(is_in_doubt_, false)) {
      add_found(told, std::exchange(in_doubt_, {}));
    }
  }

  void tell_of_end(const store::write& w, const store::outcome& o) const {
    const auto* const update = std::get_if<store::update_task>(&w);
    if (update != nullptr && o.result == store::write_status::applied && o.as<store::update_result>().has_ended)
      deps_.on_end(update->next.number);
    for (const auto& t : o.tasks)
      if (t.state != workflow::process_state::pending)
        deps_.on_end(t.number);
  }

  void learn_load(const store::write& w, const store::outcome& o) {
    const auto* claim = std::get_if<store::claim_tasks>(&w);
    if (claim == nullptr || o.result != store::write_status::applied)
      return;
    for (auto& s : subscribers_)
      if (s.scheduler == claim->scheduler) {
        s.in_flight = claim->in_flight + o.as<store::claim_result>().tasks.size();
        s.claims = true;
      }
  }

  /// The scheduler that has least in flight. Null: there is none to wait for, since each has been offered work that it
  /// has not claimed yet.
  subscriber* next_to_work() {
    std::vector<subscriber*> schedulers;
    std::vector<std::uint64_t> loads;
    for (auto& s : subscribers_)
      if (s.claims) {
        schedulers.push_back(&s);
        loads.push_back(s.in_flight);
      }
    const auto chosen = workflow::choose_place(loads, workflow::mixed(view_.commits, 0, 0));
    return chosen ? schedulers[*chosen] : nullptr;
  }

  void tell_watchers(const commit_news& told) {
    store_news changed;
    changed.changed = told.changed;
    store_news all;
    all.work = all.review = all.notices = true;
    for (const auto& s : subscribers_) {
      if (!s.watches)
        continue;
      if (!changed.changed.empty())
        tell(this, s.client, changed);
      if (told.is_any_changed) {
        tell(this, s.client, all);
        tell(this, s.client, store_news{});
      }
    }
  }

  write_done answer_to(const queued_write& w, store::outcome o) {
    write_done reply;
    reply.ticket = w.ticket;
    if (std::holds_alternative<store::claim_tasks>(*w.what))
      reply.definitions = definitions_.of(o.as<store::claim_result>().tasks, *deps_.store);
    reply.outcome = boxed<store::outcome>{std::move(o)};
    return reply;
  }

  void turn_away_by_other_clock(const queued_write& w, store::outcome o) {
    auto answer = answer_to(w, std::move(o));
    answer.is_by_other_clock = true;
    tell(this, w.client, writes_done{{std::move(answer)}, deps_.clock.reading(this).set_at});
  }

  static receipt receipt_of(const std::string& id, const store::outcome& o) {
    const auto retry_after = o.result == store::write_status::full ? retry_when_full : workflow::span{};
    const auto& t = o.as<store::submit_result>();
    return {id, o.result, t.created, t.number, t.state, retry_after, o.why};
  }

  void spread(const commit_news& told) {
    const auto& news = told.news;
    auto* const first = news.work ? next_to_work() : nullptr;
    if (first != nullptr)
      first->claims = false;
    for (auto& s : subscribers_) {
      if (s.watches || (s.bulk_only && !news.bulk))
        continue;
      auto own = news;
      own.is_offered = first != nullptr && &s != first;
      const auto mine = told.taken.find(s.scheduler);
      if (!s.scheduler.empty() && mine != told.taken.end())
        own.changed = mine->second;
      if (own.work || own.review || own.notices || own.bulk || !own.changed.empty())
        tell(this, s.client, std::move(own));
    }
  }

  void set_damaged_aside() {
    if (!deps_.files)
      return;
    for (auto& found : deps_.files->damaged()) {
      queued_write w;
      found.now = deps_.clock.now(this);
      w.what = boxed<store::write>{std::move(found)};
      enqueue_write(std::move(w));
    }
  }

  struct commit_under_way {
    std::vector<queued_write> batch;
    caf::actor_clock::time_point begun;
    workflow::instant begun_at; ///< by the store's clock
    store::state_store::commit_end end;
  };
  struct commit_made {
    workflow::instant at;
    std::size_t writes = 0;
    std::uint64_t took_us = 0;
  };
  static constexpr std::size_t commits_kept = 100;

  store_actor_deps deps_;
  std::deque<queued_write> queue_;
  std::deque<commit_under_way> under_way_; ///< the oldest first
  std::deque<commit_made> last_commits_;   ///< the newest first
  std::vector<subscriber> subscribers_;
  known_definitions definitions_;
  store_figures figures_;
  struct {
    std::uint64_t commits = 0;
    std::uint64_t writes = 0;
    std::uint64_t largest_batch = 0;
    std::uint64_t waiting = 0; ///< writes queued for the next commit
    std::uint64_t last_commit_us = 0;
    std::string trouble; ///< why the store takes no writes now; empty: it does
  } view_;
  std::string unshared_; ///< why commits are not put off together
  bool flush_armed_ = false;
  bool save_armed_ = false;
  bool stopped_ = false;
  bool is_in_doubt_ = false;            ///< it is not known what became of a commit
  std::vector<std::uint64_t> in_doubt_; ///< numbers of tasks that such commits changed, if they were made
  bool passes_on_ = false;              ///< it was drained
};

} // namespace

own_store_actor spawn_store_actor(caf::actor_system& sys, store_actor_deps deps, bool detached) {
  if (detached)
    return sys.spawn<store_committer, caf::detached>(std::move(deps));
  return sys.spawn<store_committer>(std::move(deps));
}

} // namespace steadfast::actors
