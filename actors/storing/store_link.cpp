// Stands for the store of another node, or of this one where it may move. Every request is answered, at once when the
// connection breaks: then a question is answered with an error, and a write on its way with "nobody knows". While the
// store moves in good order, what comes is held back until it is known where it is, and what is on its way is answered
// by whoever had it.

#include "actors/storing/store_link.hpp"

#include "actors/common/observed.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/sec.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace steadfast::actors {

namespace {

constexpr workflow::span retry_when_away{2000};
constexpr workflow::span submission_limit{10'000};
constexpr workflow::span question_limit{30'000};
constexpr std::size_t submissions_max = 1024; ///< on their way at a time
constexpr std::size_t held_max = 4096;        ///< held back at a time
constexpr workflow::span move_limit{5000};    ///< for a store to move in good order

/// A write on its way to a store, and who waits for it.
struct open_write {
  caf::actor_addr to;
  store_client client;
  std::uint64_t ticket = 0;
};

struct open_submission {
  caf::actor_addr to;
  std::string id;
  caf::typed_response_promise<receipt> promise;
};

struct open_question {
  caf::actor_addr to;
  std::function<void()> ask_again;
  std::function<void(caf::error)> fail;
};

class store_link : public observed<store_link_actor> {
public:
  store_link(caf::actor_config& cfg, store_link_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "store_link"; }

  void on_exit() override {
    store_actor_ = store_actor{};
    reader_ = reader_actor{};
    go_on();
    fail_those([](const auto&) { return true; });
    subscribers_.clear();
    watchers_.clear();
    deps_ = {};
  }

  behavior_type make_behavior() override {
    set_down_handler([this](const caf::down_msg& m) { on_down(m); });
    return {
      [this](const boxed<workflow::submission>& m) { return on_submission(m); },
      [this](flush) { on_move_limit(); },
      [](save_commits) {},
      [this](write_requests& m) { on_writes(std::move(m)); },
      [this](const subscribe& m) { on_subscribe(m); },
      [this](const show_task& m) { return passed_on<task_view>(m); },
      [this](const find_task& m) { return passed_on<task_view>(m); },
      [this](const list_tasks& m) { return passed_on<boxed<store::task_page>>(m); },
      [this](const count_tasks& m) { return passed_on<task_count>(m); },
      [this](const find_overdue& m) { return passed_on<overdue_page>(m); },
      [this](const find_notices& m) { return passed_on<notice_page>(m); },
      [this](const list_leases& m) { return passed_on<lease_page>(m); },
      [this](const list_alerts& m) { return passed_on<alert_page>(m); },
      [this](const find_alerts& m) { return passed_on<boxed<store::alert_list>>(m); },
      [this](const list_incidents& m) { return passed_on<boxed<store::incident_page>>(m); },
      [this](const list_schedules& m) { return passed_on<schedule_page>(m); },
      [this](const find_limit_queue& m) { return passed_on<limit_queue>(m); },
      [this](const find_items_undo& m) { return passed_on<items_undo>(m); },
      [this](const list_events& m) { return passed_on<boxed<store::event_page>>(m); },
      [this](const list_bulk_acts& m) { return passed_on<boxed<store::bulk_page>>(m); },
      [this](const list_workflows& m) { return passed_on<workflow_page>(m); },
      [this](const list_late_replies& m) { return passed_on<late_reply_page>(m); },
      [this](const inspect_state&) { return state(); },
      [this](const show_stats& m) { return passed_on<boxed<store::store_stats>>(m); },
      [this](const writes_done& m) { on_written(m); },
      [this](const store_news& m) { spread(m); },
      [this](const peer_changed& m) { on_peer(m); },
    };
  }

private:
  bool is_connected() const { return static_cast<bool>(store_actor_); }
  std::string trouble() const { return "the store cannot be reached: " + trouble_; }

  // ---- the connection ----

  /// Tells it of something on its way, also later on.
  auto is_sent_here() const {
    return [store = store_actor_.address(), reader = reader_.address()](const auto& open) {
      return open.to == store || open.to == reader;
    };
  }

  void on_peer(const peer_changed& m) {
    if (m.connected && store_actor_ && m.offer.store_actor == store_actor_)
      return; // something else about that node has changed
    trouble_ = m.trouble;
    if (m.connected && m.offer.store_actor)
      use(m);
    else if (!m.connected && m.address == address_)
      lose();
    else
      part();
  }

  void use(const peer_changed& m) {
    leave();
    address_ = m.address;
    store_actor_ = m.offer.store_actor;
    reader_ = m.offer.reader;
    is_own_ = m.offer.node == deps_.node;
    monitor(store_actor_);
    monitor(reader_);
    tell(this, store_actor_, subscribe{deps_.scheduler});
    store_news all; // while the connection was down, anything may have happened
    all.work = all.review = all.notices = true;
    spread(all);
    for (const auto& w : watchers_) {
      tell(this, w, all);
      let_watch(w);
    }
    go_on();
  }

  /// The reader of a node that lets the store go is the first to end.
  void on_down(const caf::down_msg& m) {
    const auto was_sent_there = [&](const auto& open) { return open.to == m.source; };
    // Of one that had ended before it was known here it is not known why.
    const bool is_in_order = m.reason == caf::exit_reason::user_shutdown || m.reason == caf::exit_reason::unknown;
    if (reader_.address() == m.source || store_actor_.address() == m.source)
      is_in_order ? part() : lose();
    if (is_in_order)
      for (const auto& q : cut(questions_, was_sent_there))
        q.ask_again();
    fail_those(was_sent_there);
  }

  /// What is on its way is answered there.
  void leave() {
    if (!store_actor_)
      return;
    store_actor_ = store_actor{};
    reader_ = reader_actor{};
    is_own_ = false;
    left_at_ = clock().now();
    tell_after(this, store_link_actor{this}, move_limit, flush{});
  }

  /// It moves.
  void part() {
    is_moving_ = is_moving_ || store_actor_;
    leave();
  }

  void on_subscribe(const subscribe& m) {
    const auto client = sender_of<store_client>(this);
    if (m.scheduler != every_task)
      return subscribers_.push_back(client);
    watchers_.push_back(client);
    let_watch(client);
  }

  /// The store tells it without this link, which could not tell its news from those for the scheduler.
  void let_watch(const store_client& w) const { tell_as(w, store_actor_, subscribe{every_task}); }

  void lose() {
    if (!store_actor_)
      return;
    const auto was_sent_there = is_sent_here();
    leave();
    fail_those(was_sent_there);
    go_on();
  }

  void on_move_limit() {
    if (clock().now() - left_at_ < move_limit)
      return; // a later one
    fail_those([is_here = is_sent_here()](const auto& open) { return !is_here(open); });
    if (!store_actor_)
      go_on();
  }

  template <class Which>
  void fail_those(const Which& are_meant) {
    for (const auto& w : cut(open_, are_meant))
      answer(w.client, w.ticket, store::write_status::unknown_outcome, "the connection to the store broke");
    for (auto& s : cut(submissions_, are_meant))
      s.promise.deliver(without_answer(std::move(s.id)));
    for (auto& q : cut(questions_, are_meant))
      q.fail(caf::make_error(caf::sec::runtime_error, "the connection to the store broke; ask again"
                                                        + (trouble_.empty() ? "" : " (" + trouble_ + ")")));
  }

  template <class T, class Which>
  static std::vector<T> cut(std::map<std::uint64_t, T>& from, const Which& are_meant) {
    std::vector<T> all;
    for (auto i = from.begin(); i != from.end();) {
      const auto next = std::next(i);
      if (are_meant(i->second))
        all.push_back(std::move(from.extract(i).mapped()));
      i = next;
    }
    return all;
  }

  // ---- while it moves ----

  /// False: it does not move, or too much waits.
  bool hold(std::function<void()> again) {
    if (!is_moving_ || held_.size() >= held_max)
      return false;
    held_.push_back(std::move(again));
    return true;
  }

  /// What was held back is sent, or answered that the store is away.
  void go_on() {
    is_moving_ = false;
    for (const auto& again : std::exchange(held_, {}))
      again();
  }

  void spread(const store_news& m) {
    for (const auto& s : subscribers_)
      tell(this, s, m);
  }

  // ---- writing ----

  void on_writes(write_requests m) {
    if (is_own_)
      delegate(store_actor_, std::move(m));
    else
      pass_on(sender_of<store_client>(this), std::move(m));
  }

  void pass_on(const store_client& client, write_requests m) {
    if (hold([this, client, m] { pass_on(client, m); }))
      return;
    for (auto& r : m.all) {
      if (!is_connected()) {
        answer(client, r.ticket, store::write_status::full, trouble());
        continue;
      }
      const auto own = ++ticket_;
      open_[own] = {store_actor_.address(), client, std::exchange(r.ticket, own)};
    }
    tell(this, store_actor_, std::move(m)); // if there is one
  }

  void on_written(const writes_done& m) {
    std::map<store_client, writes_done> answers;
    for (const auto& w : m.all) {
      const auto found = open_.extract(w.ticket);
      if (found.empty())
        continue; // its client was told that nobody knows
      auto& passed = answers[found.mapped().client];
      passed.clock = m.clock;
      passed.all.push_back(w);
      passed.all.back().ticket = found.mapped().ticket;
    }
    for (auto& [client, answer] : answers)
      tell(this, client, std::move(answer));
  }

  void answer(const store_client& to, std::uint64_t ticket, store::write_status result, std::string why) {
    store::outcome o{store::decision{result, std::move(why)}};
    tell(this, to, writes_done{{{ticket, boxed<store::outcome>{std::move(o)}, {}}}, workflow::unset});
  }

  // ---- submitting ----

  caf::result<receipt> on_submission(const boxed<workflow::submission>& m) {
    if (is_own_)
      return delegate(store_actor_, m);
    auto answer = make_response_promise<receipt>();
    submit(m, answer);
    return answer;
  }

  void submit(const boxed<workflow::submission>& m, caf::typed_response_promise<receipt> answer) {
    const auto id = m ? m->id : std::string{};
    auto push_back = [answer, id](const std::string& why) mutable {
      answer.deliver(receipt_without_task(id, store::write_status::full, why, retry_when_away));
    };
    if (hold([this, m, answer] { submit(m, answer); }))
      return;
    if (!is_connected())
      return push_back(trouble());
    if (submissions_.size() >= submissions_max)
      return push_back("too many submissions are on their way to the store");
    const auto ticket = ++ticket_;
    submissions_[ticket] = {store_actor_.address(), id, answer};
    ask(this, store_actor_, submission_limit, m)
      .then([this, ticket](receipt& r) { acknowledge(ticket, std::move(r)); },
            [this, ticket](const caf::error&) { leave_unknown(ticket); });
  }

  void acknowledge(std::uint64_t ticket, receipt r) {
    if (auto found = submissions_.extract(ticket); !found.empty())
      found.mapped().promise.deliver(std::move(r));
  }

  void leave_unknown(std::uint64_t ticket) {
    if (auto found = submissions_.extract(ticket); !found.empty())
      found.mapped().promise.deliver(without_answer(std::move(found.mapped().id)));
  }

  static receipt without_answer(std::string id) {
    return receipt_without_task(std::move(id), store::write_status::unknown_outcome,
                                "the store did not answer: it is not known whether the task was stored; submitting it "
                                "again with the same id is safe");
  }

  // ---- reading ----

  template <class Answer, class Question>
  caf::result<Answer> passed_on(const Question& m) {
    if (is_own_)
      return delegate(reader_, m);
    auto answer = make_response_promise<Answer>();
    pass_on(m, answer);
    return answer;
  }

  template <class Answer, class Question>
  void pass_on(const Question& m, caf::typed_response_promise<Answer> answer) {
    const auto again = [this, m, answer] { pass_on(m, answer); };
    if (hold(again))
      return;
    if (!reader_) {
      answer.deliver(caf::make_error(caf::sec::runtime_error, trouble()));
      return;
    }
    const auto ticket = ++ticket_;
    questions_[ticket] = {reader_.address(), again,
                          [answer](caf::error why) mutable { answer.deliver(std::move(why)); }};
    ask(this, reader_, question_limit, m)
      .then(
        [this, ticket, answer](Answer& a) mutable {
          if (questions_.erase(ticket) > 0)
            answer.deliver(std::move(a));
        },
        [this, ticket](caf::error& why) {
          if (const auto q = questions_.extract(ticket); !q.empty())
            on_refused(q.mapped(), std::move(why));
        });
  }

  void on_refused(const open_question& q, caf::error why) {
    const bool is_present = q.to == reader_.address();
    const bool has_ended = is_present && why == caf::sec::request_receiver_down;
    if (has_ended)
      part(); // as will be told soon
    is_present && !has_ended ? q.fail(std::move(why)) : q.ask_again();
  }

  actor_state state() const {
    return state_of(is_connected() ? "connected" : trouble_, {{"connected", is_connected()},
                                                              {"trouble", is_connected() ? "" : trouble_},
                                                              {"writes_on_their_way", open_.size()},
                                                              {"submissions_on_their_way", submissions_.size()},
                                                              {"questions_on_their_way", questions_.size()},
                                                              {"held_back", held_.size()}});
  }

  store_link_deps deps_;
  store_actor store_actor_;
  reader_actor reader_;
  std::string trouble_ = "not connected yet";
  std::vector<store_client> subscribers_;
  std::vector<store_client> watchers_;                   ///< of every task
  std::map<std::uint64_t, open_write> open_;             ///< by ticket
  std::map<std::uint64_t, open_submission> submissions_; ///< on their way, by ticket
  std::map<std::uint64_t, open_question> questions_;     ///< likewise
  std::uint64_t ticket_ = 0;
  std::string address_;                     ///< of the node that has the store, or had it last; empty: this one
  bool is_own_ = false;                     ///< the store is of this node: it answers those who ask by itself
  bool is_moving_ = false;                  ///< from one node to another, in good order
  caf::actor_clock::time_point left_at_;    ///< by the store that was used last
  std::vector<std::function<void()>> held_; ///< while it moves, in order
};

} // namespace

store_link_actor spawn_store_link(caf::actor_system& sys, store_link_deps deps) {
  return sys.spawn<store_link>(std::move(deps));
}

} // namespace steadfast::actors
