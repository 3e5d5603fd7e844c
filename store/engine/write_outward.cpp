// Puts what webhooks are to be told, as decide_outward.hpp says.

#include "store/engine/write_batch.hpp"
#include "store/verbs/decide_outward.hpp"

namespace steadfast::store {

/// `make` makes it, if anybody wants it.
template <class Make>
void write_batch::tell_webhooks(workflow::outward_event e, std::string_view workflow,
                                const workflow::delivery_place& at, const std::string& task_id, Make make) {
  std::optional<notice_record> told;
  for (const auto& s : settings_.options->webhooks) {
    if (!workflow::wants(s, e, workflow))
      continue;
    if (!told)
      told = notice_record{task_id, notice_of(make(), at.sequence)};
    const key k = notice_key(workflow::observer_of_webhook(s.webhook), at.lane, at.sequence);
    txn_.put(in_.notices, k, encode_record(k, *told));
  }
}

void write_batch::tell_of_end(const workflow::task& t, std::uint64_t revision) {
  tell_webhooks(workflow::end_of(t.state), t.workflow, place_of_end(t.number, revision), t.id,
                [&] { return workflow::end_told(t, revision); });
}

void write_batch::tell_of(const raised_alert& x, std::uint64_t alert, const workflow::delivery_place& at) {
  tell_webhooks(workflow::outward_event::alert, x.signature.workflow, at, x.task_id, [&] {
    const workflow::told_alert which{alert, x.task_number, x.task_id, incidents_.incident_of(alert).value_or(0)};
    return workflow::alert_told(which, x.what, x.signature);
  });
}

void write_batch::tell_of_incidents() {
  for (const auto& x : incidents_.take_turns())
    tell_webhooks(workflow::outward_event::incident, x.what.what.workflow, place_of(x), {}, [&] { return told_of(x); });
}

} // namespace steadfast::store
