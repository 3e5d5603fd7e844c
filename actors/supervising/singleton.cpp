// Keeps one instance of a user's actor in a whole cluster (pattern "Leader Election", its distributed mutex).

#include "actors/supervising/singleton.hpp"

#include "actors/protocol/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <exception>
#include <string>
#include <utility>

namespace steadfast::actors {

namespace {

/// Makes the instance when the lease is won and ends it when the lease is lost. The lease is renewed as long as the
/// instance handles its messages. If the instance ended by itself, the next winner of the lease makes a new one.
class singleton_guard : public guarded_actor::base {
public:
  singleton_guard(caf::actor_config& cfg, singleton_deps deps) : guarded_actor::base{cfg}, deps_{std::move(deps)} {}

  const char* name() const override { return "singleton_guard"; }

  void on_exit() override {
    end();
    deps_ = {};
  }

  behavior_type make_behavior() override {
    set_down_handler([this](const caf::down_msg& m) {
      if (instance_ && m.source == instance_.address())
        instance_ = guarded_actor{};
    });
    return {[this](const lease_changed& m) { on_lease(m); }};
  }

private:
  void on_lease(const lease_changed& m) {
    if (m.epoch != epoch_) {
      end();
      epoch_ = m.epoch;
      if (m.epoch != 0)
        make(m.name);
    }
    if (!instance_)
      return;
    const auto keeper = sender_of<lease_actor>(this);
    ask(this, instance_, deps_.answer_limit, m)
      .then([this, keeper, m] { tell(this, keeper, lease_progress{m.name}); },
            [](const caf::error&) {}); // it hangs: the lease will lapse
  }

  void make(const std::string& lease) {
    try {
      instance_ = deps_.make(system());
      if (instance_)
        monitor(instance_);
      else
        say("lease " + lease + ": its function made no actor; the lease will lapse");
    } catch (const std::exception& e) {
      say("lease " + lease + ": its function threw: " + e.what() + "; the lease will lapse");
    } catch (...) {
      say("lease " + lease + ": its function threw something that is no std::exception; the lease will lapse");
    }
  }

  void say(const std::string& line) const {
    if (deps_.log)
      deps_.log(line);
  }

  void end() {
    exit_now(instance_);
    instance_ = guarded_actor{};
  }

  singleton_deps deps_;
  guarded_actor instance_;
  std::uint64_t epoch_ = 0;
};

} // namespace

guarded_actor spawn_singleton_guard(caf::actor_system& sys, singleton_deps deps, bool detached) {
  return detached ? sys.spawn<singleton_guard, caf::detached>(std::move(deps))
                  : sys.spawn<singleton_guard>(std::move(deps));
}

} // namespace steadfast::actors
