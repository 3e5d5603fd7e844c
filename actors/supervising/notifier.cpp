// Sends progress to observers until they have seen it. What was not acknowledged stays in the store, so an observer
// that comes back begins where it stopped; what it gets twice has the same sequence number.

#include "actors/supervising/notifier.hpp"

#include "actors/common/deadline_timer.hpp"
#include "actors/common/observed.hpp"
#include "actors/common/one_write.hpp"
#include "actors/common/state_tree.hpp"
#include "actors/protocol/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <map>
#include <set>
#include <utility>

namespace steadfast::actors {

namespace {

struct listener {
  observer_actor handle;
  std::set<std::pair<std::uint64_t, std::uint32_t>> told; ///< task and sequence, not yet acknowledged
  bool reading = false;
  bool again = false;
};

class notifier : public observed<notifier_actor> {
public:
  notifier(caf::actor_config& cfg, notifier_deps deps) : observed{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "notifier"; }

  void on_exit() override { deps_ = {}; }

  behavior_type make_behavior() override {
    set_down_handler([this](caf::down_msg& m) { on_down(m); });
    tell(this, deps_.store, subscribe{});
    return {
      one_by_one<const writes_done>([this](const write_done& w) { on_written(w); }),
      [this](const store_news& m) { on_news(m); },
      [this](const tick_timer& m) { on_tick(m); },
      [this](const observe& m) { on_observe(m); },
      [this](const progress_seen& m) { on_seen(m); },
      [this](const inspect_state& m) { return state(m.listed_max); },
    };
  }

private:
  void on_observe(const observe& m) {
    auto& l = listeners_[m.observer];
    l = listener{};
    l.handle = sender_of<observer_actor>(this);
    monitor(l.handle);
    read(m.observer);
  }

  void on_down(const caf::down_msg& m) {
    for (auto i = listeners_.begin(); i != listeners_.end();)
      i = i->second.handle.address() == m.source ? listeners_.erase(i) : std::next(i);
  }

  void on_news(const store_news& m) {
    if (!m.notices)
      return;
    for (const auto& [name, l] : listeners_)
      read(name);
  }

  void read(const std::string& name) {
    auto& l = listeners_[name];
    l.again = l.reading || l.told.size() >= deps_.window;
    if (l.again)
      return;
    l.reading = true;
    ask(this, deps_.reader, deps_.reader_limit, find_notices{name, 2 * deps_.window})
      .then([this, name](const notice_page& page) { on_page(name, page); },
            [this, name](const caf::error&) { on_unread(name); });
  }

  void on_unread(const std::string& name) {
    const auto found = listeners_.find(name);
    if (found == listeners_.end())
      return;
    found->second.reading = false;
    found->second.again = true;
    timer_.set<notifier_actor>(this, deps_.clock, deps_.clock.now(this) + deps_.retry_read);
  }

  void on_tick(const tick_timer& m) {
    if (!timer_.fires<notifier_actor>(this, deps_.clock, m))
      return;
    for (const auto& [name, l] : listeners_)
      if (l.again && !l.reading)
        read(name);
  }

  void on_page(const std::string& name, const notice_page& page) {
    const auto found = listeners_.find(name);
    if (found == listeners_.end())
      return;
    auto& l = found->second;
    l.reading = false;
    for (const auto& n : page.notices) {
      l.again = l.again || l.told.size() >= deps_.window; // the rest once some of it was seen
      if (l.again)
        break;
      if (l.told.emplace(n.task_number, n.sequence).second)
        tell(this, l.handle, n);
    }
    if (std::exchange(l.again, false))
      read(name);
  }

  /// Takes the acknowledgement to the store; progress up to there need not be kept.
  void on_seen(const progress_seen& m) {
    seen_[++ticket_] = m;
    tell_one_write(this, deps_.store, ticket_, store::acknowledge_notices{m.observer, m.task_number, m.sequence});
  }

  void on_written(const write_done& m) {
    const auto found = seen_.find(m.ticket);
    if (found == seen_.end())
      return;
    const auto seen = found->second;
    seen_.erase(found);
    const auto l = listeners_.find(seen.observer);
    if (l == listeners_.end())
      return;
    auto& told = l->second.told;
    told.erase(told.lower_bound({seen.task_number, 0}), told.upper_bound({seen.task_number, seen.sequence}));
    if (l->second.again && !l->second.reading)
      read(seen.observer);
  }

  actor_state state(std::size_t listed_max) const {
    const auto observer = [](const auto& l) -> state_tree {
      return {{"observer", l.first}, {"told_not_acknowledged", l.second.told.size()}, {"reading", l.second.reading}};
    };
    return state_of(counted(listeners_.size(), "observer"),
                    {{"window", deps_.window}, {"observers", listed(listeners_, listed_max, observer)}});
  }

  notifier_deps deps_;
  std::map<std::string, listener> listeners_;
  std::map<std::uint64_t, progress_seen> seen_; ///< acknowledgements on their way to the store
  std::uint64_t ticket_ = 0;
  deadline_timer timer_; ///< for reads that failed
};

} // namespace

notifier_actor spawn_notifier(caf::actor_system& sys, notifier_deps deps) {
  return sys.spawn<notifier>(std::move(deps));
}

} // namespace steadfast::actors
