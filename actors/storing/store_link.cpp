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

/// A write on its way to the other node, and who waits for it.
struct open_write {
  store_client client;
  std::uint64_t ticket = 0;
};

struct open_submission {
  std::string id;
  caf::typed_response_promise<receipt> promise;
};

/// Something that waits until the store has moved.
struct held_back {
  std::function<void()> go_on;
  std::function<void()> fail;
};

class store_link : public observed<store_link_actor> {
public:
  store_link(caf::actor_config& cfg, store_link_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "store_link"; }

  void on_exit() override {
    former_ = caf::actor_addr{};
    lose();
    subscribers_.clear();
    deps_ = {};
  }

  behavior_type make_behavior() override {
    set_down_handler([this](const caf::down_msg& m) {
      if (former_ && m.source == former_)
        fail_former();
    });
    return {
      [this](const boxed<workflow::submission>& m) { return on_submission(m); },
      [this](flush) { on_move_limit(); },
      [](save_commits) {},
      [this](write_requests& m) { on_writes(std::move(m)); },
      [this](const subscribe&) { subscribers_.push_back(sender_of<store_client>(this)); },
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

  void on_peer(const peer_changed& m) {
    if (m.connected && store_actor_ && m.offer.store_actor == store_actor_)
      return; // something else about that node has changed
    if (m.connected && !m.offer.store_actor)
      return part(m.trouble);
    if (!is_moving_)
      lose();
    trouble_ = m.trouble;
    if (m.connected)
      use(m.offer.store_actor, m.offer.reader, m.offer.node == deps_.node);
  }

  void use(const store_actor& actor, const reader_actor& reader, bool is_own) {
    store_actor_ = actor;
    reader_ = reader;
    is_own_ = is_own;
    is_moving_ = false;
    tell(this, store_actor_, subscribe{deps_.scheduler});
    store_news all; // while the connection was down, anything may have happened
    all.work = all.review = all.notices = true;
    spread(all);
    for (const auto& h : std::exchange(held_, {}))
      h.go_on();
  }

  void lose() {
    store_actor_ = store_actor{};
    reader_ = reader_actor{};
    is_own_ = false;
    fail_until(ticket_);
    let_go_of_held();
  }

  /// Of the writes, submissions and questions on their way, all up to that ticket.
  void fail_until(std::uint64_t last) {
    for (const auto& [ticket, w] : cut(open_, last))
      answer(w.client, w.ticket, store::write_status::unknown_outcome, "the connection to the store broke");
    for (auto& [ticket, s] : cut(submissions_, last))
      s.promise.deliver(without_answer(std::move(s.id)));
    for (auto& [ticket, fail] : cut(questions_, last))
      fail(caf::make_error(caf::sec::runtime_error, std::string{"the connection to the store broke"}));
  }

  template <class T>
  static std::map<std::uint64_t, T> cut(std::map<std::uint64_t, T>& from, std::uint64_t last) {
    std::map<std::uint64_t, T> first;
    for (auto end = from.upper_bound(last); !from.empty() && from.begin() != end;)
      first.insert(from.extract(from.begin()));
    return first;
  }

  // ---- a store that moves ----

  /// Its node still answers what is on its way there.
  void part(const std::string& why) {
    trouble_ = why;
    if (is_moving_ || !is_connected())
      return;
    fail_former(); // of a move before
    former_ = store_actor_.address();
    former_ticket_ = ticket_;
    monitor(store_actor_);
    store_actor_ = store_actor{};
    reader_ = reader_actor{};
    is_own_ = false;
    is_moving_ = true;
    moving_since_ = clock().now();
    tell_after(this, store_link_actor{this}, move_limit, flush{});
  }

  void fail_former() {
    if (!former_)
      return;
    demonitor(former_);
    former_ = caf::actor_addr{};
    fail_until(former_ticket_);
  }

  void on_move_limit() {
    if (clock().now() - moving_since_ < move_limit)
      return; // a later one
    fail_former();
    if (std::exchange(is_moving_, false))
      let_go_of_held();
  }

  void let_go_of_held() {
    is_moving_ = false;
    for (const auto& h : std::exchange(held_, {}))
      h.fail();
  }

  bool can_hold() const { return is_moving_ && held_.size() < held_max; }

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
    if (!is_connected() && can_hold()) {
      held_.push_back({[this, client, m] { pass_on(client, m); }, [this, client, m] { pass_on(client, m); }});
      return;
    }
    for (auto& r : m.all) {
      if (!is_connected()) {
        answer(client, r.ticket, store::write_status::full, trouble());
        continue;
      }
      const auto own = ++ticket_;
      open_[own] = {client, std::exchange(r.ticket, own)};
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
    if (!is_connected() && can_hold()) {
      held_.push_back(
        {[this, m, answer] { submit(m, answer); }, [this, push_back]() mutable { push_back(trouble()); }});
      return;
    }
    if (!is_connected())
      return push_back(trouble());
    if (submissions_.size() >= submissions_max)
      return push_back("too many submissions are on their way to the store");
    const auto ticket = ++ticket_;
    submissions_[ticket] = {id, answer};
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
    auto fail = [this, answer]() mutable { answer.deliver(caf::make_error(caf::sec::runtime_error, trouble())); };
    if (!reader_ && can_hold()) {
      held_.push_back({[this, m, answer] { pass_on<Answer>(m, answer); }, fail});
      return;
    }
    if (!reader_)
      return fail();
    const auto ticket = ++ticket_;
    questions_[ticket] = [answer](caf::error why) mutable { answer.deliver(std::move(why)); };
    ask(this, reader_, question_limit, m)
      .then(
        [this, ticket, answer](Answer& a) mutable {
          if (questions_.erase(ticket) > 0)
            answer.deliver(std::move(a));
        },
        [this, ticket, answer](caf::error& why) mutable {
          if (questions_.erase(ticket) > 0)
            answer.deliver(std::move(why));
        });
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
  std::map<std::uint64_t, open_write> open_;                           ///< by ticket
  std::map<std::uint64_t, open_submission> submissions_;               ///< on their way, by ticket
  std::map<std::uint64_t, std::function<void(caf::error)>> questions_; ///< how to fail each, by ticket
  std::uint64_t ticket_ = 0;
  bool is_own_ = false;    ///< the store is of this node: it answers those who ask by itself
  bool is_moving_ = false; ///< from one node to another, in good order
  caf::actor_clock::time_point moving_since_;
  std::vector<held_back> held_;     ///< while it moves, in order
  caf::actor_addr former_;          ///< has some on their way, since it moved; none: nobody
  std::uint64_t former_ticket_ = 0; ///< the last of those
};

} // namespace

store_link_actor spawn_store_link(caf::actor_system& sys, store_link_deps deps) {
  return sys.spawn<store_link>(std::move(deps));
}

} // namespace steadfast::actors
