#include "store/verbs/tasks/decide_task.hpp"

#include "store/contract/sent_update.hpp"
#include "store/verbs/tasks/new_task.hpp"
#include "workflow/task/invariants.hpp"
#include "workflow/task/taken_in.hpp"
#include "workflow/text/canonical_json.hpp"
#include "workflow/text/split.hpp"
#include "workflow/transition/transition.hpp"

#include <xxhash.h>

#include <algorithm>
#include <string>
#include <utility>

namespace steadfast::store {

namespace {

submission_digest digest_of(const workflow::submission& s, std::string_view payload) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
  };
  add(s.workflow);
  add(std::to_string(s.version));
  add(s.content_type);
  add(payload);
  const auto hash = XXH3_128bits(text.data(), text.size());
  return {hash.low64, hash.high64};
}

bool are_next_notices(const std::vector<workflow::notice>& given, std::uint32_t before, const workflow::task& next) {
  const auto is_between = [&](const workflow::notice& n) { return n.sequence > before && n.sequence <= next.notices; };
  return next.notices >= before && std::all_of(given.begin(), given.end(), is_between);
}

bool is_same_task(const task_outline& a, const workflow::task& b) {
  return a.id == b.id && a.workflow == b.workflow && a.version == b.version && a.reply_to == b.reply_to
         && a.priority == b.priority && a.has_parent == !b.parent.empty();
}

workflow::submission submission_of(const workflow::task& t) {
  workflow::submission s;
  s.id = t.id;
  s.workflow = t.workflow;
  s.version = t.version;
  s.payload = t.payload;
  s.content_type = t.content_type;
  s.priority = t.priority;
  s.reply_to = t.reply_to;
  return s;
}

} // namespace

// ---- submit_task ----

submission_digest digest_of(const workflow::submission& s) {
  if (workflow::is_json_type(s.content_type))
    if (const auto canonical = workflow::canonical_json(s.payload.view()))
      return digest_of(s, *canonical);
  return digest_of(s, s.payload.view());
}

std::optional<decision> problem_of(const submit_task& w, const store_options& limits) {
  const auto wrong = workflow::problems(w.what, limits.payload_size_max);
  return wrong.empty() ? std::nullopt
                       : std::optional{turned_down(write_status::refused, workflow::joined(wrong, "; "))};
}

std::optional<decision> conflict_of(const submit_task& w, const submission_digest& digest, const task_ref& there) {
  // Those that were submitted before storage format 6 have the digest of the payload as it was.
  const bool is_same = there.digest == digest || there.digest == digest_of(w.what, w.what.payload.view());
  if (!is_same)
    return turned_down(write_status::refused, "key_conflict: the id " + w.what.id
                                                + " was submitted before with another payload, workflow or version");
  return std::nullopt;
}

// ---- update_task ----

namespace {

/// Why it was not made from the state that is stored; absent: it was.
std::optional<decision> overtaken(const update_task& w, const task_outline* there) {
  if (there == nullptr)
    return no_such_task(w.next.number);
  const bool is_overtaken = there->revision != w.next.revision || there->lock_epoch != w.lock_epoch_before;
  if (is_overtaken)
    return turned_down(write_status::stale_lock, "the task is at revision " + std::to_string(there->revision)
                                                   + " and lock epoch " + std::to_string(there->lock_epoch));
  return std::nullopt;
}

std::optional<decision> problem_of(const update_task& w, const task_outline& there, const store_options& limits) {
  if (!is_same_task(there, w.next))
    return turned_down(write_status::refused,
                       "number, id, workflow, version, priority and reply_to of a task never change");
  if (w.payload_changed && w.next.payload.size() > limits.payload_size_max)
    return turned_down(write_status::refused, "payload has " + std::to_string(w.next.payload.size())
                                                + " bytes, the limit is " + std::to_string(limits.payload_size_max));
  std::size_t largest = 0;
  each_difference(there.sound.steps, w.next.steps,
                  [&](std::size_t i) { largest = std::max(largest, w.next.steps[i].result.size()); });
  if (largest > limits.result_size_max)
    return turned_down(write_status::refused, "a result has " + std::to_string(largest) + " bytes, the limit is "
                                                + std::to_string(limits.result_size_max));
  if (const auto broken = workflow::broken_invariants(w.next, *there.definition, there.sound); !broken.empty())
    return turned_down(write_status::refused, "the task would be broken: " + workflow::joined(broken, "; "));
  if (!are_next_notices(w.notices, there.notices, w.next))
    return turned_down(write_status::refused, "the notices do not go on from those that the task gave before");
  return std::nullopt;
}

} // namespace

whole_update with_its_steps(const update_task& w, const task_outline* there) {
  if (auto stale = overtaken(w, there))
    return {{}, *std::move(stale)};
  if (auto whole = made_whole(w, there->sound.steps))
    return {std::move(whole), {}};
  return {{}, turned_down(write_status::refused, "the steps that were sent are not the task's")};
}

std::optional<decision> refused(const update_task& w, const task_outline* there, const store_options& limits,
                                const update_questions& ask) {
  if (auto stale = overtaken(w, there))
    return stale;
  if (auto lost = ask.not_held())
    return lost;
  if (w.bulk != 0)
    if (auto not_again = ask.not_for_bulk())
      return not_again;
  return problem_of(w, *there, limits);
}

// ---- import_task ----

std::optional<decision> problem_of(const import_task& w, const store_options& limits) {
  const auto& x = w.what;
  auto wrong = workflow::problems(x.definition);
  if (wrong.empty())
    wrong = workflow::problems(submission_of(x.task), limits.payload_size_max);
  if (wrong.empty() && (x.task.workflow != x.definition.name || x.task.version != x.definition.version))
    wrong = {"it is of another workflow than the definition that came with it"};
  if (wrong.empty())
    wrong = workflow::broken_invariants(x.task, x.definition);
  for (const auto& s : x.task.steps)
    if (s.result.size() > limits.result_size_max)
      wrong.push_back("a result has " + std::to_string(s.result.size()) + " bytes, the limit is "
                      + std::to_string(limits.result_size_max));
  if (!wrong.empty())
    return turned_down(write_status::refused, "the exported task is not valid: " + wrong.front());
  const auto why = problem_of_partition(x.task.id, x.task.payload.view(), x.definition, limits.partition.count);
  if (workflow::is_unfinished(x.task.state) && !why.empty())
    return turned_down(write_status::refused, why);
  return std::nullopt;
}

std::optional<decision> conflict_of(const import_task& w, bool is_there) {
  if (is_there)
    return turned_down(write_status::refused, "there is a task " + w.what.task.id + " in this store already");
  return std::nullopt;
}

imported_task taken_in(const import_task& w, std::uint64_t number) {
  imported_task x{w.what.task, {}};
  x.task.number = number;
  x.task.revision = 1;
  if (!x.task.parent.empty())
    x.task.parent.change().number = 0;
  const workflow::event freed = workflow::lock_released{};
  const auto why = std::string{workflow::imported} + (w.why.empty() ? "" : ": " + w.why);
  const workflow::event rests = workflow::suspended{{w.who, why}};
  for (const auto* e : {&freed, &rests})
    if (auto change = workflow::apply(x.task, w.what.definition, *e, w.now);
        change.result == workflow::event_status::applied) {
      x.task = std::move(change.next);
      x.notices.insert(x.notices.end(), change.notices.begin(), change.notices.end());
    }
  return x;
}

record_act act_of(const import_task& w) {
  return {w.who, "imported task `" + w.what.task.id + "`", w.why, w.now};
}

std::optional<record_act> act_of(const workflow::task& next, const std::vector<workflow::act>& before) {
  if (next.acts.empty() || (!before.empty() && before.back() == next.acts.back()))
    return std::nullopt;
  const auto& last = next.acts.back();
  return record_act{last.who, "task `" + next.id + "`: " + last.what, last.why, last.at};
}

} // namespace steadfast::store
