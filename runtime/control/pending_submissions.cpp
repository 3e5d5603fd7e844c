#include "runtime/control/pending_submissions.hpp"

#include "actors/protocol/messages.hpp"
#include "actors/protocol/speak.hpp"
#include "actors/protocol/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>

#include <chrono>
#include <deque>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace steadfast {

namespace {

using steady = std::chrono::steady_clock;

constexpr int looks_in_limit = 20; ///< for those whose time is over

struct submitting {
  actors::boxed<workflow::submission> what;
  pending_submissions::answered done;
};

} // namespace

struct pending_submissions::inbox {
  std::mutex mutex;
  std::vector<submitting> all;
};

/// A receipt names the id only, so one submission of an id is on its way at a time.
class pending_submissions::sender : public caf::event_based_actor {
public:
  sender(caf::actor_config& cfg, actors::gateway_actor gateway, workflow::span limit, std::shared_ptr<inbox> in)
      : caf::event_based_actor{cfg},
        gateway_{std::move(gateway)},
        limit_{limit},
        inbox_{std::move(in)} {}

  caf::behavior make_behavior() override {
    set_down_handler([this](const caf::down_msg&) {
      gateway_ = nullptr;
      give_up_all();
    });
    monitor(gateway_);
    return {
      [this](actors::flush) {
        for (auto& s : taken())
          take(std::move(s));
      },
      [this](const actors::receipt& r) { on_receipt(r); },
      [this](const actors::tick_timer&) { on_tick(); },
    };
  }

  void on_exit() override {
    gateway_ = nullptr;
    give_up_all();
    for (auto& s : taken())
      s.done(nullptr);
  }

private:
  struct due {
    steady::time_point at;
    std::string id;
  };
  struct open_one {
    std::list<due>::iterator until;
    answered done;
    std::deque<submitting> next; ///< of the same id
  };

  std::vector<submitting> taken() {
    const std::lock_guard lock{inbox_->mutex};
    return std::exchange(inbox_->all, {});
  }

  void take(submitting s) {
    if (!gateway_)
      return s.done(nullptr);
    if (late_.contains(s.what->id))
      return ask_alone(std::move(s));
    if (const auto there = open_.find(s.what->id); there != open_.end())
      there->second.next.push_back(std::move(s));
    else
      begin(std::move(s), {});
  }

  void begin(submitting s, std::deque<submitting> next) {
    const auto& id = s.what->id;
    open_[id] = {due_.insert(due_.end(), {steady::now() + limit_, id}), std::move(s.done), std::move(next)};
    actors::tell(this, gateway_, s.what);
    if (!std::exchange(is_looking_, true))
      look_later();
  }

  /// The answer to an earlier one of the id may still come, and must not pass for that to this one.
  void ask_alone(submitting s) {
    actors::ask(this, gateway_, limit_, s.what)
      .then([done = s.done](const actors::receipt& r) { done(&r); },
            [done = s.done](const caf::error&) { done(nullptr); });
  }

  void on_receipt(const actors::receipt& r) {
    auto found = open_.extract(r.id);
    if (found.empty()) {
      late_.erase(r.id);
      return;
    }
    due_.erase(found.mapped().until);
    auto& next = found.mapped().next;
    if (!next.empty()) {
      auto first = std::move(next.front());
      next.pop_front();
      begin(std::move(first), std::move(next));
    }
    found.mapped().done(&r);
  }

  void look_later() { actors::tell_after(this, caf::actor{this}, limit_ / looks_in_limit, actors::tick_timer{}); }

  void on_tick() {
    for (const auto now = steady::now(); !due_.empty() && due_.front().at <= now; due_.pop_front()) {
      late_.insert(due_.front().id);
      give_up(open_.extract(due_.front().id).mapped());
    }
    is_looking_ = !due_.empty();
    if (is_looking_)
      look_later();
  }

  static void give_up(const open_one& o) {
    o.done(nullptr);
    for (const auto& s : o.next)
      s.done(nullptr);
  }

  void give_up_all() {
    for (const auto& [id, o] : std::exchange(open_, {}))
      give_up(o);
    due_.clear();
  }

  actors::gateway_actor gateway_;
  workflow::span limit_;
  std::shared_ptr<inbox> inbox_;
  std::unordered_map<std::string, open_one> open_; ///< by id
  std::list<due> due_;                             ///< of those, in their order
  std::unordered_set<std::string> late_;           ///< ids to which an answer may still come
  bool is_looking_ = false;
};

pending_submissions::pending_submissions(caf::actor_system& sys, actors::gateway_actor gateway, workflow::span limit)
    : inbox_{std::make_shared<inbox>()},
      sender_{sys.spawn<sender>(std::move(gateway), limit, inbox_)} {}

pending_submissions::~pending_submissions() {
  actors::exit_now(sender_);
}

void pending_submissions::submit(actors::boxed<workflow::submission> what, answered done) {
  bool is_first = false;
  {
    const std::lock_guard lock{inbox_->mutex};
    is_first = inbox_->all.empty();
    inbox_->all.push_back({std::move(what), std::move(done)});
  }
  if (is_first)
    actors::tell_from_outside(sender_, actors::flush{});
}

} // namespace steadfast
