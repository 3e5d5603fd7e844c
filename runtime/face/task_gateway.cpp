#include "runtime/face/task_gateway.hpp"

#include "actors/protocol/type_ids.hpp"
#include "runtime/control/older_nodes.hpp"
#include "runtime/face/node_face.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <map>
#include <string>
#include <utility>

namespace steadfast {

namespace runtime {
namespace {

// Both together are less than half a minute.
constexpr std::chrono::seconds answer_limit{25};
constexpr std::chrono::seconds leases_limit{4};
constexpr std::chrono::seconds retry_when_away{2};

workflow::submission submission_of(const submit_task& m) {
  workflow::submission s;
  s.id = m.id;
  s.workflow = m.workflow;
  s.version = m.version;
  s.payload = workflow::blob{m.payload};
  s.priority = m.priority;
  s.reply_to = m.reply_to;
  s.conflict = static_cast<workflow::on_conflict>(m.conflict);
  s.debounce = m.debounce;
  return s;
}

static_assert(static_cast<int>(on_conflict::same) == static_cast<int>(workflow::on_conflict::same)
              && static_cast<int>(on_conflict::refuse) == static_cast<int>(workflow::on_conflict::refuse)
              && static_cast<int>(on_conflict::replace) == static_cast<int>(workflow::on_conflict::replace));

// progress_kind is notice_kind under a public name.
static_assert(static_cast<int>(progress_kind::accepted) == static_cast<int>(workflow::notice_kind::accepted)
              && static_cast<int>(progress_kind::undone) == static_cast<int>(workflow::notice_kind::undone)
              && static_cast<int>(progress_kind::resumed) == static_cast<int>(workflow::notice_kind::resumed));

submit_outcome outcome_of(store::write_status v) {
  switch (v) {
    case store::write_status::applied: return submit_outcome::stored;
    case store::write_status::full: return submit_outcome::busy;
    case store::write_status::unknown_outcome: return submit_outcome::unknown;
    default: return submit_outcome::refused;
  }
}

submit_receipt receipt_of(const std::string& id, const actors::receipt& r) {
  const auto outcome = outcome_of(r.result);
  if (outcome != submit_outcome::stored)
    return {id, outcome, false, {}, r.why, r.retry_after};
  return {id, outcome, r.created, std::string{to_string(r.state)}, {}, {}, !r.created && !r.why.empty()};
}

task_progress told(const actors::progress& p) {
  return {p.observer, p.task_id, p.task_number, p.sequence, static_cast<progress_kind>(p.kind), p.step, p.text, p.at};
}

/// A user's actor as the observer of one name; ends with the actor.
class relay : public actors::observer_actor::base {
public:
  relay(caf::actor_config& cfg, actors::gateway_actor gateway, std::string observer, progress_observer user)
      : actors::observer_actor::base{cfg},
        gateway_{std::move(gateway)},
        observer_{std::move(observer)},
        user_{std::move(user)} {}

  const char* name() const override { return "progress_relay"; }

  void on_exit() override {
    gateway_ = actors::gateway_actor{};
    user_ = progress_observer{};
  }

  behavior_type make_behavior() override {
    set_down_handler([this](const caf::down_msg&) { quit(); });
    monitor(user_);
    actors::tell(this, gateway_, actors::observe{observer_});
    return {[this](const actors::progress& p) { actors::tell(this, user_, told(p)); }};
  }

private:
  actors::gateway_actor gateway_;
  const std::string observer_;
  progress_observer user_;
};

class users_gateway : public task_gateway::base {
public:
  users_gateway(caf::actor_config& cfg, actors::gateway_actor gateway, actors::reader_actor reader)
      : task_gateway::base{cfg},
        gateway_{std::move(gateway)},
        reader_{std::move(reader)} {}

  const char* name() const override { return "task_gateway"; }

  void on_exit() override {
    for (const auto& [observer, r] : relays_)
      actors::exit_now(r);
    relays_.clear();
    gateway_ = actors::gateway_actor{};
    reader_ = actors::reader_actor{};
  }

  behavior_type make_behavior() override {
    set_down_handler([this](const caf::down_msg& m) {
      std::erase_if(relays_, [&](const auto& r) { return r.second.address() == m.source; });
    });
    return {
      [this](const submit_task& m) { return on_submit(m); },
      [this](const observe_progress& m) { on_observe(m.observer); },
      [this](const progress_seen& m) {
        actors::tell(this, gateway_, actors::progress_seen{m.observer, m.task_number, m.sequence});
      },
    };
  }

private:
  caf::result<submit_receipt> on_submit(const submit_task& m) {
    auto promise = make_response_promise<submit_receipt>();
    if (m.conflict == on_conflict::same)
      pass_on(submission_of(m), promise);
    else
      look_first(submission_of(m), promise);
    return promise;
  }

  /// Nodes of releases before it cannot read such a submission.
  void look_first(workflow::submission s, caf::typed_response_promise<submit_receipt> promise) {
    actors::ask(this, reader_, leases_limit, actors::list_leases{})
      .then(
        [this, s, promise](const actors::lease_page& page) mutable {
          const auto why = why_not_yet(page, workflow::knowledge::limits, "`conflict`");
          if (why.empty())
            pass_on(std::move(s), promise);
          else
            promise.deliver(submit_receipt{s.id, submit_outcome::refused, false, {}, why, {}});
        },
        [promise, id = s.id](const caf::error&) mutable {
          promise.deliver(
            submit_receipt{id, submit_outcome::busy, false, {}, "the store did not answer in time", retry_when_away});
        });
  }

  void pass_on(workflow::submission s, caf::typed_response_promise<submit_receipt> promise) {
    const auto id = s.id;
    actors::ask(this, gateway_, answer_limit, actors::boxed<workflow::submission>{std::move(s)})
      .then([promise, id](const actors::receipt& r) mutable { promise.deliver(receipt_of(id, r)); },
            [promise, id](const caf::error&) mutable {
              promise.deliver(
                submit_receipt{id, submit_outcome::unknown, false, {}, "the store did not answer in time", {}});
            });
  }

  /// The last actor to ask gets the progress.
  void on_observe(const std::string& observer) {
    const auto user = actors::sender_of<progress_observer>(this);
    if (!user)
      return;
    auto& r = relays_[observer];
    actors::exit_now(r);
    r = spawn<relay>(gateway_, observer, user);
    monitor(r);
  }

  actors::gateway_actor gateway_;
  actors::reader_actor reader_;
  std::map<std::string, actors::observer_actor> relays_; ///< by observer
};

/// A user's instance as the lease's guard sees it. Both end together.
class lease_relay : public actors::guarded_actor::base {
public:
  lease_relay(caf::actor_config& cfg, singleton_actor user)
      : actors::guarded_actor::base{cfg},
        user_{std::move(user)} {}

  const char* name() const override { return "lease_relay"; }

  void on_exit() override {
    actors::exit_now(user_);
    user_ = singleton_actor{};
  }

  behavior_type make_behavior() override {
    set_down_handler([this](const caf::down_msg&) { quit(); });
    monitor(user_);
    return {[this](const actors::lease_changed& m) { return delegate(user_, lease_held{m.name, m.epoch}); }};
  }

private:
  singleton_actor user_;
};

} // namespace

task_gateway spawn_task_gateway(caf::actor_system& sys, const actors::gateway_actor& gateway,
                                const actors::reader_actor& reader) {
  return sys.spawn<users_gateway>(gateway, reader);
}

actors::make_singleton inner(make_singleton make) {
  if (!make)
    return {};
  return [make = std::move(make)](caf::actor_system& sys) -> actors::guarded_actor {
    const auto user = make(sys);
    return user ? actors::guarded_actor{sys.spawn<lease_relay>(user)} : actors::guarded_actor{};
  };
}

} // namespace runtime

const char* to_string(progress_kind k) {
  switch (k) {
    case progress_kind::accepted: return "accepted";
    case progress_kind::step_started: return "step_started";
    case progress_kind::step_completed: return "step_completed";
    case progress_kind::processed: return "processed";
    case progress_kind::undoing: return "undoing";
    case progress_kind::undone: return "undone";
    case progress_kind::error: return "error";
    case progress_kind::suspended: return "suspended";
    case progress_kind::resumed: return "resumed";
  }
  return "unknown";
}

bool is_end(progress_kind k) {
  return k == progress_kind::processed || k == progress_kind::undone || k == progress_kind::error;
}

progress_seen seen(const task_progress& p) {
  return {p.observer, p.task_number, p.sequence};
}

task_gateway gateway_of(node& n) {
  return node_access::of(n).gateway();
}

caf::actor_system& actor_system_of(node& n) {
  return node_access::of(n).inside().system();
}

void with_lease(node& n, const std::string& name, make_singleton make) {
  node_access::of(n).inside().with_lease(name, runtime::inner(std::move(make)));
}

} // namespace steadfast
