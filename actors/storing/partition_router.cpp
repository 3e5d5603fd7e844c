// Stands for a store of several partitions: the same interface, and each write goes to the partitions that it is for,
// which for some writes have to be asked first what they have. One that is for several is answered when all of them
// have answered. One that must act in all or in none is first asked of all of them, and goes to none if one would
// refuse it.

#include "actors/storing/partition_router.hpp"

#include "actors/common/error_text.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"
#include "actors/storing/ask_partitions.hpp"
#include "store/joined/asked_first.hpp"
#include "store/joined/write_parts.hpp"
#include "workflow/task/partition.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace steadfast::actors {

namespace {

/// Who waits for a write.
struct asked_write {
  store_client client;
  write_request what;
};

/// A write on its way.
struct routed_write {
  asked_write asked;
  std::string turn; ///< that it has; empty: none
  std::vector<store::write_part> parts;
  bool is_question = false;         ///< so far they were only asked
  std::vector<store::outcome> said; ///< of each part
  std::size_t unanswered = 0;
  write_done last;
};

/// What goes to one of them goes there in one message, in order.
struct outgoing {
  std::map<std::uint32_t, write_requests> partitions;
  std::map<store_client, writes_done> clients;
};

bool was_applied(const store::outcome& o) {
  return o.result == store::write_status::applied;
}

/// Also what it is told itself.
using routing_actor = own_store_actor::extend_with<store_client>;

class partition_router : public observed<routing_actor> {
public:
  partition_router(caf::actor_config& cfg, partition_router_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "partition_router"; }

  void on_exit() override {
    open_.clear();
    lines_.clear();
    part_of_.clear();
    watchers_.clear();
    deps_ = {};
  }

  behavior_type make_behavior() override {
    set_down_handler([this](const caf::down_msg& m) {
      std::erase_if(watchers_, [&](const auto& w) { return w.address() == m.source; });
    });
    return {
      [this](const boxed<workflow::submission>& m) { return on_submission(m); },
      [](flush) {},
      [](save_commits) {},
      [this](const write_requests& m) { on_writes(m); },
      [this](const subscribe& m) { on_subscribe(m); },
      [this](const inspect_state&) { return state(); },
      [this](const drain&) {
        passes_on_ = static_cast<bool>(deps_.next);
        return drained{};
      },
      [this](const writes_done& m) { on_written(m); },
      [this](const store_news& m) { on_news(m); },
    };
  }

private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(deps_.partitions.size()); }

  caf::result<receipt> on_submission(const boxed<workflow::submission>& m) {
    if (passes_on_)
      return delegate(deps_.next, m);
    return delegate(deps_.partitions[m ? workflow::partition_of(m->id, count()) : 0], m);
  }

  // ---- writing ----

  void on_writes(const write_requests& m) {
    outgoing out;
    for (const auto& r : m.all) {
      asked_write w{sender_of<store_client>(this), r};
      const auto line = lines_.find(store::turn_of(*r.what));
      if (line != lines_.end())
        line->second.push_back(std::move(w));
      else
        begin(std::move(w), out);
    }
    post(std::move(out));
  }

  void begin(asked_write asked, outgoing& out) {
    const bool takes_turns = !store::turn_of(*asked.what.what).empty();
    if (const auto elsewhere = passes_on_ ? deps_.next : takes_turns ? deps_.turns : store_actor{})
      return tell_as(asked.client, elsewhere, write_requests{{std::move(asked.what)}});
    const auto whole = ++last_;
    auto& w = open_[whole];
    w.asked = std::move(asked);
    const auto& what = *w.asked.what.what;
    const auto go_on = [this, whole](store::found_first found) {
      outgoing later;
      part(whole, found, later);
      post(std::move(later));
    };
    const auto fail = [this, whole](const caf::error& why) { refuse(whole, why); };
    switch (store::needed_for(what)) {
      case store::read_first::nothing: return part(whole, {}, out);
      case store::read_first::incidents:
        return find_incidents_with(
          this, deps_.readers, std::get<store::act_on_incident>(what).number,
          [go_on](std::vector<store::incident> group) {
            go_on({std::move(group), {}, {}});
          },
          fail);
      case store::read_first::bulk_acts:
        return find_all_bulk_acts(
          this, deps_.readers,
          [this, go_on, number = std::get<store::stop_bulk>(what).number](std::vector<workflow::bulk_act> all) {
            go_on({{}, store::bulk_acts_with(number, std::move(all), count()), {}});
          },
          fail);
      case store::read_first::leases:
        return ask_each<lease_page>(
          this, deps_.readers, [](std::size_t) { return list_leases{}; },
          [go_on](const std::vector<lease_page>& pages) {
            store::found_first found;
            for (const auto& p : pages) {
              found.leases.emplace_back();
              for (const auto& l : p.leases)
                found.leases.back().push_back(*l);
            }
            go_on(std::move(found));
          },
          fail);
    }
  }

  /// What it is for cannot be read.
  void refuse(std::uint64_t whole, const caf::error& why) {
    store::decision said{store::write_status::full, text_of(why, system())};
    const auto w = std::move(open_.extract(whole).mapped());
    writes_done refused;
    refused.all.push_back({w.asked.what.ticket, boxed<store::outcome>{store::outcome{std::move(said)}}, {}});
    tell(this, w.asked.client, std::move(refused));
  }

  void part(std::uint64_t whole, const store::found_first& found, outgoing& out) {
    auto& w = open_.at(whole);
    const auto& what = *w.asked.what.what;
    w.parts = store::parts_of(what, count(), found);
    w.is_question = w.parts.size() > 1 && store::is_asked_first(what);
    if (w.is_question)
      w.turn = store::turn_of(what);
    if (w.parts.size() > 1 && std::holds_alternative<store::send_event>(what)) {
      const auto sent_at = deps_.clock.now(this); // by which it is the same one in all of them
      for (auto& p : w.parts)
        std::get<store::send_event>(p.what).sent_at = sent_at;
    }
    if (!w.turn.empty())
      lines_.try_emplace(w.turn);
    put(whole, w, out);
  }

  void put(std::uint64_t whole, routed_write& w, outgoing& out) {
    w.said.assign(w.parts.size(), {});
    w.unanswered = w.parts.size();
    for (std::size_t i = 0; i < w.parts.size(); ++i) {
      auto part = w.asked.what;
      part.ticket = ++last_;
      const auto& as_it_has_it = w.parts[i].what; // one partition knows an incident, or a lease, by another name
      part.what = boxed<store::write>{w.is_question ? store::as_question(as_it_has_it) : as_it_has_it};
      part_of_[part.ticket] = {whole, i};
      out.partitions[w.parts[i].partition].all.push_back(std::move(part));
    }
  }

  void on_written(const writes_done& m) {
    outgoing out;
    for (const auto& d : m.all) {
      const auto part = part_of_.extract(d.ticket);
      if (part.empty())
        continue;
      const auto [whole, place] = part.mapped();
      auto& w = open_.at(whole);
      w.said[place] = *d.outcome;
      w.last.definitions.insert(w.last.definitions.end(), d.definitions.begin(), d.definitions.end());
      w.last.is_by_other_clock = w.last.is_by_other_clock || d.is_by_other_clock;
      if (--w.unanswered == 0)
        go_on(whole, w, m.clock, out);
    }
    post(std::move(out));
  }

  /// All partitions have answered.
  void go_on(std::uint64_t whole, routed_write& w, workflow::instant clock, outgoing& out) {
    const auto refusal = std::find_if_not(w.said.begin(), w.said.end(), was_applied);
    if (w.is_question && refusal == w.said.end()) {
      w.is_question = false;
      std::erase_if(w.parts, [](const auto& p) { return !store::acts(p); });
      return put(whole, w, out);
    }
    w.last.ticket = w.asked.what.ticket;
    w.last.outcome =
      boxed<store::outcome>{w.is_question ? std::move(*refusal) : store::joined(w.parts, std::move(w.said))};
    auto& answer = out.clients[w.asked.client];
    answer.clock = clock;
    answer.all.push_back(std::move(w.last));
    const auto turn = std::move(w.turn);
    open_.erase(whole);
    if (!turn.empty())
      pass_turn(turn, out);
  }

  /// To those that wait for it, up to one that has it for longer.
  void pass_turn(const std::string& turn, outgoing& out) {
    auto waiting = std::move(lines_.extract(turn).mapped());
    while (!waiting.empty() && !lines_.contains(turn)) {
      auto next = std::move(waiting.front());
      waiting.pop_front();
      begin(std::move(next), out);
    }
    if (!waiting.empty())
      lines_.at(turn) = std::move(waiting);
  }

  void post(outgoing out) {
    for (auto& [partition, writes] : out.partitions)
      tell(this, deps_.partitions[partition], std::move(writes));
    for (auto& [client, answer] : out.clients)
      tell(this, client, std::move(answer));
  }

  // ---- news ----

  /// Who watches every task is told by this actor, since no partition can say that all of them tell it.
  void on_subscribe(const subscribe& m) {
    const auto client = sender_of<store_client>(this);
    if (passes_on_)
      return tell_as(client, deps_.next, m);
    if (m.scheduler != every_task) {
      for (const auto& p : deps_.partitions)
        tell_as(client, p, m);
      return;
    }
    if (!std::exchange(is_told_, true))
      begin_to_watch();
    watchers_.push_back(client);
    monitor(client);
    if (all_tell())
      tell(this, client, store_news{});
  }

  void begin_to_watch() {
    for (const auto& p : deps_.partitions)
      tell(this, p, subscribe{every_task});
  }

  bool all_tell() const { return telling_.size() == deps_.partitions.size(); }

  void on_news(const store_news& m) {
    const bool says_nothing = m.changed.empty() && !m.work && !m.review && !m.notices;
    if (says_nothing && !all_tell()) { // one may say it again before another one does
      telling_.insert(caf::actor_cast<caf::actor_addr>(current_sender()));
      if (!all_tell())
        return;
    }
    for (const auto& w : watchers_)
      tell(this, w, m);
  }

  // ---- the rest ----

  actor_state state() const {
    auto writes = open_.size();
    for (const auto& [turn, line] : lines_)
      writes += line.size();
    return state_of(
      counted(writes, "write") + " on the way",
      {{"partitions", deps_.partitions.size()}, {"writes_on_their_way", writes}, {"watchers", watchers_.size()}});
  }

  partition_router_deps deps_;
  std::map<std::uint64_t, routed_write> open_;
  std::map<std::string, std::deque<asked_write>> lines_; ///< by the turn that one of the open has: who waits for it
  std::map<std::uint64_t, std::pair<std::uint64_t, std::size_t>> part_of_; ///< of which write, and which, by ticket
  std::uint64_t last_ = 0;                                                 ///< ticket
  std::vector<store_client> watchers_;                                     ///< of every task
  bool passes_on_ = false;                                                 ///< the store is let go
  bool is_told_ = false;              ///< what the partitions tell of every task, or will be
  std::set<caf::actor_addr> telling_; ///< partitions that have said that they tell of every task
};

} // namespace

own_store_actor spawn_partition_router(caf::actor_system& sys, partition_router_deps deps) {
  return sys.spawn<partition_router>(std::move(deps));
}

} // namespace steadfast::actors
