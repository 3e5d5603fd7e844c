// What makes and changes tasks.

#include "store/decide_task.hpp"
#include "store/write_batch.hpp"

#include "workflow/task/invariants.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

namespace {

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const auto& s : sentences)
    text += (text.empty() ? "" : "; ") + s;
  return text;
}

/// Valid as long as that is.
task_before as_known(const standing& x) {
  return {x.id, x.workflow, x.reply_to, x.version, x.priority, x.revision, x.lock_epoch, x.notices, *x.definition};
}

} // namespace

// ---- submit_task ----

answer<submit_task> write_batch::make(const submit_task& w) {
  if (auto wrong = problem_of(w, *settings_.options))
    return *std::move(wrong);
  const auto of_this = digest_of(w.what);
  if (const auto known = ref_of(w.what.id))
    return submit_again(w, *known, of_this);
  return submit_anew(w, of_this);
}

answer<submit_task> write_batch::submit_again(const submit_task& w, const task_ref& known,
                                              const submission_digest& of_this) {
  if (auto conflict = conflict_of(w, of_this, known))
    return *std::move(conflict);
  const auto there = load(known.number);
  if (!there)
    return turned_down(verdict::refused, "the task " + w.what.id
                                           + " was set aside because its records are damaged: restore a copy of the "
                                             "store to get it back, or submit the work under another id");
  answer<submit_task> o = applied();
  o.number = known.number;
  o.state = there->state.task.state;
  return o;
}

/// Most submissions of a batch are for the same workflow.
std::uint32_t write_batch::newest_version(const std::string& workflow) {
  if (newest_.first != workflow)
    newest_ = {workflow, see_.newest_version(workflow).value_or(0)};
  return newest_.second;
}

const workflow::payload_needs& write_batch::needs_of(const definition_cache::entry& d) {
  if (needs_.first != d)
    needs_ = {d, std::make_shared<workflow::payload_needs>(*d)};
  return *needs_.second;
}

answer<submit_task> write_batch::submit_anew(const submit_task& w, const submission_digest& of_this) {
  const auto version = w.what.version != 0 ? w.what.version : newest_version(w.what.workflow);
  const auto definition = see_.definition(w.what.workflow, version);
  if (!definition)
    return turned_down(verdict::absent, "there is no workflow " + w.what.workflow
                                          + (w.what.version != 0 ? " version " + std::to_string(version) : ""));
  if (const auto lacks = needs_of(definition).problems(w.what.payload.view()); !lacks.empty())
    return turned_down(verdict::refused, joined(lacks));
  if (!has_room(w.what.payload.size()))
    return turned_down_full(w.now);

  const auto made = std::make_shared<workflow::task>(workflow::make_task(w.what, *definition, w.now));
  auto& t = *made;
  t.number = count_.last_task + 1;
  t.revision = 1;
  if (const auto broken = workflow::broken_invariants(t, *definition); !broken.empty())
    return turned_down(verdict::refused, "the task would be broken: " + broken.front());
  settings_.known->remember(put_new(t, definition, of_this), made);
  put_notice(t, {1, workflow::notice_kind::accepted, {}, {}, w.now});

  forget_seen_alerts();
  answer<submit_task> o = applied();
  o.created = true;
  o.number = t.number;
  o.state = t.state;
  return o;
}

known_tasks::entry& write_batch::put_new(const workflow::task& t, const definition_cache::entry& d,
                                         const submission_digest& of_this) {
  count_.last_task = t.number;
  ++tasks_in(t.state);
  std::vector<large_result> large;
  put_large_results(large, t);
  put_id(t, of_this);
  if (const key k{t.number}; !t.payload.empty())
    txn_.append(in_.payloads, k, encode_record(k, payload_record{t.payload}));
  put_in_index(t.number, workflow::indexed_values(*d, t.payload.view()));
  auto& e = settings_.known->add_new(t.number, standing_of(t, t.revision, t.payload.size(), std::move(large), d));
  const auto now = e.now.placed();
  move_in_queue(txn_, in_, t.number, {}, now);
  count_ended(t.workflow, {}, now);
  put_row(e, t);
  return e;
}

// ---- update_task ----

answer<update_task> write_batch::make(const update_task& w) {
  auto* const there = known(w.next.number);
  if (there == nullptr)
    return turned_down(verdict::absent, "there is no task with the number " + std::to_string(w.next.number));
  const auto& stored = there->now;
  if (auto stale = overtaken(w, as_known(stored)))
    return *std::move(stale);
  if (auto lost = not_held(w.guard, w.now))
    return *std::move(lost);
  if (w.bulk != 0)
    if (auto not_again = not_for_bulk(w.bulk, w.next.number))
      return *std::move(not_again);
  if (auto wrong = problem_of(w, as_known(stored), *settings_.options))
    return *std::move(wrong);

  answer<update_task> o = applied();
  o.revision = replace(*there, w.next, {w.notices, w.alerts, w.payload_changed});
  if (w.evidence)
    put_late_reply(w.next.number, stored.id, *w.evidence);
  if (w.bulk != 0)
    workflow::note_done(*bulk_act_of(w.bulk), w.next.number);
  return o;
}

std::uint64_t write_batch::replace(known_tasks::entry& e, const workflow::task& next, const beside& also) {
  auto& stands = e.now;
  const auto indexed =
    also.payload_changed ? values_in_index(*stands.definition, next.number) : std::vector<workflow::payload_value>{};
  put_large_results(stands.large, next);
  if (also.payload_changed) {
    erase_from_index(next.number, indexed);
    put_in_index(next.number, workflow::indexed_values(*stands.definition, next.payload.view()));
    stands.payload_size = next.payload.size();
    put_payload(next.number, next.payload);
  }
  const auto place = placement_of(next, *stands.definition);
  move_in_queue(txn_, in_, next.number, stands.placed(), place);
  count_ended(next.workflow, stands.placed(), place);
  if (stands.state != next.state) {
    --tasks_in(stands.state);
    ++tasks_in(next.state);
    count_ending_of(next, stands.state);
  }
  for (const auto& n : also.notices)
    put_notice(next, n);
  if (stands.is_in_trouble)
    settle_alerts(next, *stands.definition);
  for (const auto& a : also.alerts)
    put_alert(next.number, next.id, a, workflow::signature_of(a, &next, stands.definition.get()));
  stands.follow(next, stands.revision + 1, place);
  put_row(e, next);
  return stands.revision;
}

void write_batch::count_ending_of(const workflow::task& next, workflow::process_state before) {
  const auto how = workflow::ending_of(before, next);
  if (!how)
    return;
  auto of_workflow = endings_.find(next.workflow);
  if (of_workflow == endings_.end()) {
    const auto known = before_.endings.find(next.workflow);
    of_workflow =
      endings_.emplace(next.workflow, known == before_.endings.end() ? workflow::endings{} : known->second).first;
  }
  workflow::count_ending(of_workflow->second, *how);
}

void write_batch::put_endings() {
  for (const auto& [name, how] : endings_)
    txn_.put(in_.endings, name, encode_record(name, how));
}

/// A result never changes once a step has one (workflow/transition/transition.hpp), and a task may be updated without
/// its large results having been read: an empty one stands for the stored one.
void write_batch::put_large_results(std::vector<large_result>& known, const workflow::task& next) {
  for (std::uint32_t i = 0; i < next.steps.size(); ++i) {
    const auto& result = next.steps[i].result;
    if (result.empty())
      continue;
    const auto found = std::find_if(known.begin(), known.end(), [i](const large_result& x) { return x.step == i; });
    const bool is_small = result.size() <= result_inline_max;
    if (is_small && found == known.end())
      continue;
    const large_result is{i, result.size(), hash_of(result.view())};
    if (found != known.end() && *found == is)
      continue;
    const key k{next.number, i};
    if (found != known.end()) {
      known.erase(found);
      txn_.erase(in_.results, k);
    }
    if (!is_small) {
      txn_.put(in_.results, k, encode_record(k, result_record{result}));
      known.push_back(is);
    }
  }
}

void write_batch::put_payload(std::uint64_t number, const workflow::blob& payload) {
  const key k{number};
  if (payload.empty())
    txn_.erase(in_.payloads, k);
  else
    txn_.put(in_.payloads, k, encode_record(k, payload_record{payload}));
}

// ---- the index of payloads ----

std::vector<workflow::payload_value> write_batch::values_in_index(const workflow::definition& d,
                                                                  std::uint64_t number) const {
  const key k{number};
  const auto bytes = d.index.empty() ? std::nullopt : txn_.get(in_.payloads, k);
  if (!bytes)
    return {};
  return workflow::indexed_values(d, decode_record<payload_record>(k, *bytes).bytes.view());
}

void write_batch::put_in_index(std::uint64_t number, const std::vector<workflow::payload_value>& values) {
  for (const auto& x : values)
    txn_.put(in_.payload_index, payload_index_key(x, number), {});
}

void write_batch::erase_from_index(std::uint64_t number, const std::vector<workflow::payload_value>& values) {
  for (const auto& x : values)
    txn_.erase(in_.payload_index, payload_index_key(x, number));
}

// ---- others ----

answer<register_definition> write_batch::make(const register_definition& w) {
  if (const auto wrong = workflow::problems(w.what); !wrong.empty())
    return turned_down(verdict::refused, joined(wrong));
  definition_cache::entry known;
  try {
    known = see_.definition(w.what.name, w.what.version);
  } catch (const damaged_definition& e) {
    tell_of_repair(w, e.what());
  }
  if (known) {
    if (*known == w.what) {
      end_alerts_of_change(w);
      return applied();
    }
    tell_of_change(w);
    return turned_down(verdict::refused, "workflow " + w.what.name + " version " + std::to_string(w.what.version)
                                           + " is registered with another content; give it a new version");
  }
  const key k = definition_key(w.what.name, w.what.version);
  txn_.put(in_.definitions, k, encode_record(k, w.what));
  newest_ = {};
  end_alerts_of_change(w);
  answer<register_definition> o = applied();
  o.created = true;
  return o;
}

/// Payload, results and the client's id stay: they are evidence, and the id must not make a second task.
answer<set_aside_damaged> write_batch::make(const set_aside_damaged& w) {
  place_tasks();
  const key k{w.number};
  const auto bytes = txn_.get(in_.tasks, k);
  if (!bytes)
    return turned_down(verdict::absent, "there is no task with the number " + std::to_string(w.number));
  try {
    see_.whole_task(w.number);
    return turned_down(verdict::refused, "the records of the task check: it is not damaged");
  } catch (const damaged_definition& e) { // the task is well, and goes on when its workflow can be read again
    tell_of_damaged_definition(w, e.what());
    return turned_down(verdict::refused, e.what());
  } catch (const damaged_record&) {
  }
  const auto id = id_of(w.number);
  txn_.put(in_.set_aside, k, encode_record(k, set_aside_record{w.why, w.now, workflow::blob{std::string{*bytes}}}));
  txn_.erase(in_.tasks, k);
  purge_from_indexes(txn_, in_, w.number);
  recount();
  recount_ended();
  const workflow::alert told{"set_aside",
                             "the task was set aside because its records are damaged: " + w.why
                               + "; restore a copy of the store to get it back",
                             {},
                             w.now};
  put_alert(w.number, id, told, workflow::signature_of(told, nullptr, nullptr));
  set_aside_.push_back(w.number);
  settings_.known->forget(w.number);
  return applied();
}

/// The state of a damaged task is not known, so the counts are taken from the index.
void write_batch::recount() {
  count_.tasks.fill(0);
  lmdb::cursor c{txn_, in_.states};
  for (bool more = c.first(); more; more = c.next())
    if (const auto state = key_reader{c.key()}.number<std::uint8_t>(); state && *state < count_.tasks.size())
      ++count_.tasks.at(*state);
}

} // namespace steadfast::store
