// Stands for the store of another node. Every request is answered, at once when the connection breaks: then a question
// is answered with an error, and a write on its way with "nobody knows".

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

/// A write on its way to the other node, and who waits for it.
struct open_write {
  store_client client;
  std::uint64_t ticket = 0;
};

struct open_submission {
  std::string id;
  caf::typed_response_promise<receipt> promise;
};

class store_link : public observed<store_link_actor> {
public:
  store_link(caf::actor_config& cfg, store_link_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "store_link"; }

  void on_exit() override {
    lose();
    subscribers_.clear();
    watchers_.clear();
  }

  behavior_type make_behavior() override {
    return {
      [this](const boxed<workflow::submission>& m) { return on_submission(m); },
      [](flush) {},
      [](save_commits) {},
      [this](write_requests& m) { on_writes(std::move(m)); },
      [this](const subscribe& m) { on_subscribe(m); },
      [this](const show_task& m) { return passed_on<task_view>(reader_, m); },
      [this](const find_task& m) { return passed_on<task_view>(reader_, m); },
      [this](const list_tasks& m) { return passed_on<boxed<store::task_page>>(reader_, m); },
      [this](const count_tasks& m) { return passed_on<task_count>(reader_, m); },
      [this](const find_overdue& m) { return passed_on<overdue_page>(reader_, m); },
      [this](const find_notices& m) { return passed_on<notice_page>(reader_, m); },
      [this](const list_leases& m) { return passed_on<lease_page>(reader_, m); },
      [this](const list_alerts& m) { return passed_on<alert_page>(reader_, m); },
      [this](const find_alerts& m) { return passed_on<boxed<store::alert_list>>(reader_, m); },
      [this](const list_incidents& m) { return passed_on<boxed<store::incident_page>>(reader_, m); },
      [this](const list_bulk_acts& m) { return passed_on<boxed<store::bulk_page>>(reader_, m); },
      [this](const list_workflows& m) { return passed_on<workflow_page>(reader_, m); },
      [this](const list_late_replies& m) { return passed_on<late_reply_page>(reader_, m); },
      [this](const inspect_state&) { return state(); },
      [this](const show_stats& m) { return passed_on<boxed<store::store_stats>>(reader_, m); },
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
    lose();
    trouble_ = m.trouble;
    if (!m.connected)
      return;
    store_actor_ = m.offer.store_actor;
    reader_ = m.offer.reader;
    tell(this, store_actor_, subscribe{deps_.scheduler});
    store_news all; // while the connection was down, anything may have happened
    all.work = all.review = all.notices = true;
    spread(all);
    for (const auto& w : watchers_) {
      tell(this, w, all);
      let_watch(w);
    }
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
    store_actor_ = store_actor{};
    reader_ = reader_actor{};
    for (const auto& [ticket, w] : std::exchange(open_, {}))
      answer(w.client, w.ticket, store::write_status::unknown_outcome, "the connection to the store broke");
    for (auto& [ticket, s] : std::exchange(submissions_, {}))
      s.promise.deliver(without_answer(std::move(s.id)));
    for (auto& [ticket, fail] : std::exchange(questions_, {}))
      fail(caf::make_error(caf::sec::runtime_error, std::string{"the connection to the store broke"}));
  }

  void spread(const store_news& m) {
    for (const auto& s : subscribers_)
      tell(this, s, m);
  }

  // ---- writing ----

  void on_writes(write_requests m) {
    const auto client = sender_of<store_client>(this);
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
    const auto id = m ? m->id : std::string{};
    if (!is_connected())
      return receipt_without_task(id, store::write_status::full, trouble(), retry_when_away);
    if (submissions_.size() >= submissions_max)
      return receipt_without_task(id, store::write_status::full, "too many submissions are on their way to the store",
                                  retry_when_away);
    const auto ticket = ++ticket_;
    auto answer = make_response_promise<receipt>();
    submissions_[ticket] = {id, answer};
    ask(this, store_actor_, submission_limit, m)
      .then([this, ticket](receipt& r) { acknowledge(ticket, std::move(r)); },
            [this, ticket](const caf::error&) { leave_unknown(ticket); });
    return answer;
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

  template <class Answer, class Handle, class Question>
  caf::result<Answer> passed_on(const Handle& to, const Question& m) {
    if (!to)
      return caf::make_error(caf::sec::runtime_error, trouble());
    const auto ticket = ++ticket_;
    auto answer = make_response_promise<Answer>();
    questions_[ticket] = [answer](caf::error why) mutable { answer.deliver(std::move(why)); };
    ask(this, to, question_limit, m)
      .then(
        [this, ticket, answer](Answer& a) mutable {
          if (questions_.erase(ticket) > 0)
            answer.deliver(std::move(a));
        },
        [this, ticket, answer](caf::error& why) mutable {
          if (questions_.erase(ticket) > 0)
            answer.deliver(std::move(why));
        });
    return answer;
  }

  actor_state state() const {
    return state_of(is_connected() ? "connected" : trouble_, {{"connected", is_connected()},
                                                              {"trouble", is_connected() ? "" : trouble_},
                                                              {"writes_on_their_way", open_.size()},
                                                              {"submissions_on_their_way", submissions_.size()},
                                                              {"questions_on_their_way", questions_.size()}});
  }

  store_link_deps deps_;
  store_actor store_actor_;
  reader_actor reader_;
  std::string trouble_ = "not connected yet";
  std::vector<store_client> subscribers_;
  std::vector<store_client> watchers_;                                 ///< of every task
  std::map<std::uint64_t, open_write> open_;                           ///< by ticket
  std::map<std::uint64_t, open_submission> submissions_;               ///< on their way, by ticket
  std::map<std::uint64_t, std::function<void(caf::error)>> questions_; ///< how to fail each, by ticket
  std::uint64_t ticket_ = 0;
};

} // namespace

store_link_actor spawn_store_link(caf::actor_system& sys, store_link_deps deps) {
  return sys.spawn<store_link>(std::move(deps));
}

} // namespace steadfast::actors
