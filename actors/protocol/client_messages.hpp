#pragma once

#include "actors/protocol/boxed.hpp"
#include "actors/protocol/speak.hpp"
#include "store/contract/state_store.hpp"
#include "workflow/definition/definition.hpp"
#include "workflow/on_call/bulk_act.hpp"
#include "workflow/task/task.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Messages between a node and clients or people.

namespace steadfast::actors {

/// Answer to a submission; durable when it arrives.
struct receipt {
  std::string id; ///< of the submission
  store::write_status result = store::write_status::refused;
  bool created = false; ///< false: the task was already there
  std::uint64_t number = 0;
  workflow::process_state state = workflow::process_state::pending;
  workflow::span retry_after{0}; ///< with full
  std::string why;
};
STEADFAST_MESSAGE(receipt, x.id, x.result, x.created, x.number, x.state, x.retry_after, x.why)

/// For a submission that may not have been stored.
inline receipt receipt_without_task(std::string id, store::write_status result, std::string why,
                                    workflow::span retry_after = {}) {
  return {std::move(id), result, false, 0, {}, retry_after, std::move(why)};
}

struct show_task {
  std::string id;
};
STEADFAST_MESSAGE(show_task, x.id)

struct task_view {
  boxed<workflow::task> task; ///< empty: there is no task with that id
  boxed<workflow::definition> definition;
  std::vector<boxed<store::late_reply_entry>> late_replies;
  workflow::instant clock; ///< of the store's node when the task was read: when that clock was set
  std::string damage;      ///< what is wrong with the task, if it is there but damaged
};
STEADFAST_MESSAGE(task_view, x.task, x.definition, x.late_replies, x.clock, x.damage)

struct list_tasks {
  boxed<store::task_filter> filter;
  std::uint64_t before = 0; ///< 0: the newest
  std::uint32_t max = 100;
  std::uint8_t order = 0; ///< workflow::task_order; 0: by their numbers, the newest first
  bool is_reversed = false;
  std::string before_key{}; ///< needed if an order is given
};
STEADFAST_MESSAGE(list_tasks, x.filter, x.before, x.max, x.order, x.is_reversed, x.before_key)

using workflow::act_refusal;
using workflow::task_act;

struct act_on_task {
  std::string id;
  task_act act = task_act::retry;
  std::string step;     ///< with skip; with retry optional: every step that failed
  std::string document; ///< with skip: the result as JSON; with edit: the payload
  bool new_key = false; ///< with retry
  std::string who;
  std::string why;
  std::uint64_t revision = 0; ///< act only if the task still has this revision; 0: whatever its revision
  std::uint64_t bulk = 0;     ///< the bulk act to which it belongs; 0: none
};
STEADFAST_MESSAGE(act_on_task, x.id, x.act, x.step, x.document, x.new_key, x.who, x.why, x.revision, x.bulk)

struct act_result {
  bool done = false;
  std::string why; ///< when not done
  workflow::process_state state = workflow::process_state::pending;
  act_refusal refusal = act_refusal::by_rule; ///< when not done
};
STEADFAST_MESSAGE(act_result, x.done, x.why, x.state, x.refusal)

/// What the holder of a token says about a step that an agent has begun and that ends later. Only within a node.
struct use_token {
  enum class word : std::uint8_t { completes = 1, fails = 2, goes_on = 3 };
  std::uint64_t task_number = 0;
  std::uint32_t step = 0;
  std::uint32_t attempt = 0;
  std::string digest; ///< of the token
  word says = word::completes;
  std::string result;      ///< with completes
  bool permanent = false;  ///< with fails: another attempt would be useless
  bool maybe_done = false; ///< with fails: it may have acted nevertheless
  workflow::span time{0};  ///< with fails: no attempt before then; with goes_on: from now, 0: as its workflow says
  std::string text;        ///< with fails: why; with goes_on: its progress, empty: as before
};
STEADFAST_MESSAGE(use_token, x.task_number, x.step, x.attempt, x.digest, x.says, x.result, x.permanent, x.maybe_done,
                  x.time, x.text)

/// A person's answer to the question of a step. Only within a node.
struct give_answer {
  std::string id;
  std::string step;
  std::string choice;
  std::string who;
  std::string why;
};
STEADFAST_MESSAGE(give_answer, x.id, x.step, x.choice, x.who, x.why)

/// From now on the sender gets the progress for this observer, beginning with what was not acknowledged.
struct observe {
  std::string observer;
};
STEADFAST_MESSAGE(observe, x.observer)

/// Sent at least once, in order per task, until acknowledged.
struct progress {
  std::string observer;
  std::uint64_t task_number = 0;
  std::string task_id;
  std::uint32_t sequence = 0;
  std::uint8_t kind = 0; ///< workflow::notice_kind
  std::string step;
  std::string text;
  workflow::instant at;
};
STEADFAST_MESSAGE(progress, x.observer, x.task_number, x.task_id, x.sequence, x.kind, x.step, x.text, x.at)

struct notice_page {
  std::vector<progress> notices;
};
STEADFAST_MESSAGE(notice_page, x.notices)

struct progress_seen {
  std::string observer;
  std::uint64_t task_number = 0;
  std::uint32_t sequence = 0;
};
STEADFAST_MESSAGE(progress_seen, x.observer, x.task_number, x.sequence)

/// Sends the webhook's receiver a test notification.
struct test_webhook {};
STEADFAST_MESSAGE(test_webhook)

struct webhook_tried {
  bool delivered = false;
  std::string why; ///< when not delivered
  workflow::span took{0};
};
STEADFAST_MESSAGE(webhook_tried, x.delivered, x.why, x.took)

/// The same for the webhook of that name.
struct test_named_webhook {
  std::string name;
};
STEADFAST_MESSAGE(test_named_webhook, x.name)

} // namespace steadfast::actors
