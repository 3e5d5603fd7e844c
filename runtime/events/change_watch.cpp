#include "runtime/events/change_watch.hpp"

#include "actors/common/observed.hpp"
#include "actors/protocol/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <set>
#include <utility>

namespace steadfast::runtime {

namespace {

using actors::store_news;

constexpr std::chrono::milliseconds told_every{100};

using change_watch_actor = actors::store_client::extend<actors::takes<void(actors::tick_timer)>>;

class change_watch : public actors::observed<change_watch_actor> {
public:
  change_watch(caf::actor_config& cfg, actors::store_actor store, changes_listener told)
      : observed{cfg},
        store_{std::move(store)},
        told_{std::move(told)} {}

  const char* name() const override { return "change_watch"; }

  void on_exit() override {
    store_ = actors::store_actor{};
    told_ = {};
  }

  behavior_type make_behavior() override {
    actors::tell(this, store_, actors::subscribe{actors::every_task});
    return {
      [](const actors::writes_done&) {},
      [this](const store_news& m) { on_news(m); },
      [this](const actors::tick_timer&) {
        is_armed_ = false;
        tell_all();
      },
    };
  }

private:
  void on_news(const store_news& m) {
    if (m.work || m.review || m.notices) {
      if (!std::exchange(is_complete_, false))
        return; // an older node: it tells of work
      any_ = true;
    } else if (m.changed.empty()) {
      is_complete_ = true;
    } else {
      numbers_.insert(m.changed.begin(), m.changed.end());
    }
    const auto since = clock().now() - last_;
    if (since >= told_every)
      return tell_all();
    if (!std::exchange(is_armed_, true))
      actors::tell_after(this, change_watch_actor{this}, told_every - since, actors::tick_timer{});
  }

  void tell_all() {
    last_ = clock().now();
    const auto numbers = std::exchange(numbers_, {});
    told_({{numbers.begin(), numbers.end()}, std::exchange(any_, false), is_complete_});
  }

  actors::store_actor store_;
  changes_listener told_;
  std::set<std::uint64_t> numbers_; ///< to be told
  caf::actor_clock::time_point last_;
  bool any_ = false;
  bool is_complete_ = false;
  bool is_armed_ = false;
};

} // namespace

caf::actor watch_changes(caf::actor_system& sys, const actors::store_actor& store, changes_listener told) {
  return caf::actor_cast<caf::actor>(sys.spawn<change_watch>(store, std::move(told)));
}

} // namespace steadfast::runtime
