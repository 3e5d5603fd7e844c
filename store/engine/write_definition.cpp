// Registers definitions and sets tasks aside that cannot be read, as decide_definition.hpp says.

#include "store/engine/write_batch.hpp"
#include "store/lmdb/indexes.hpp"
#include "store/verbs/decide_definition.hpp"
#include "workflow/definition/item_workflow.hpp"

#include <utility>

namespace steadfast::store {

answer<register_definition> write_batch::make(const register_definition& w) {
  if (auto wrong = problem_of(w))
    return *std::move(wrong);
  known_definition known;
  definition_cache::entry there;
  try {
    there = see_.definition(w.what.name, w.what.version);
    known.there = there.get();
  } catch (const damaged_definition& e) {
    known.damage = e.what();
    known.of_damage = incidents_.open_ones(damaged_workflow, {});
  }
  const auto of_items = workflow::item_workflows(w.what);
  if (known.there == nullptr) // else they are there as well, and a change is told as one of the workflow
    if (auto taken = name_taken(of_items))
      return *std::move(taken);
  if (!w.file.empty())
    known.of_change = incidents_.open_ones(changed_workflow, w.what.name);
  if (workflow::has_waits(w.what))
    known.nodes = see_.leases(w.now);
  const auto d = decide(w, known);
  end_alerts_of(d.over, moved_on, w.now.now);
  if (d.raised)
    put(*d.raised);
  if (d.is_put) {
    const key k = definition_key(w.what.name, w.what.version);
    txn_.put(in_.definitions, k, encode_record(k, w.what));
    newest_ = {};
    before_.needs.learn(w.what);
    for (const auto& made : of_items) {
      const key its = definition_key(made.name, made.version);
      txn_.put(in_.definitions, its, encode_record(its, made));
      before_.needs.learn(made);
    }
  }
  return d.said;
}

std::optional<decision> write_batch::name_taken(const std::vector<workflow::definition>& made) {
  for (const auto& d : made) {
    const auto bytes = txn_.get(in_.definitions, definition_key(d.name, d.version));
    const auto there = bytes ? readable<workflow::definition>(definition_key(d.name, d.version), *bytes) : std::nullopt;
    if (auto taken = store::name_taken(d, there ? &*there : nullptr))
      return taken;
  }
  return std::nullopt;
}

known_damage write_batch::damage_there(std::uint64_t number) {
  known_damage known;
  known.is_there = txn_.get(in_.tasks, key{number}).has_value();
  if (!known.is_there)
    return known;
  try {
    see_.whole_task(number);
    known.is_sound = true;
  } catch (const damaged_definition& e) {
    known.of_definition = e.what();
    known.is_told = !incidents_.open_ones(damaged_workflow, {}).empty();
  } catch (const damaged_record&) {
    known.task_id = id_of(number);
  }
  return known;
}

answer<set_aside_damaged> write_batch::make(const set_aside_damaged& w) {
  place_tasks();
  const auto d = decide(w, damage_there(w.number));
  if (d.leaves) {
    const key k{w.number};
    const std::string bytes{txn_.get(in_.tasks, k).value_or(std::string_view{})};
    txn_.put(in_.set_aside, k, encode_record(k, set_aside_record{w.why, w.now, workflow::blob{bytes}}));
    txn_.erase(in_.tasks, k);
    uncount(purge_from_indexes(txn_, in_, w.number));
    set_aside_.push_back(w.number);
    settings_.known->forget(w.number);
  }
  if (d.raised)
    put(*d.raised);
  return d.said;
}

/// Where the indexes did not have it, as one that came back from elsewhere, all are counted again.
void write_batch::uncount(const purged_position& was) {
  counts_again_ = true;
  if (!was.state) {
    recount();
    recount_ended();
    return;
  }
  --tasks_in(*was.state);
  if (!was.ended.empty())
    --ended_of(was.ended).there;
}

void write_batch::recount() {
  count_.tasks.fill(0);
  lmdb::cursor c{txn_, in_.states};
  for (bool more = c.first(); more; more = c.next())
    if (const auto state = key_reader{c.key()}.number<std::uint8_t>(); state && *state < count_.tasks.size())
      ++count_.tasks.at(*state);
  if (settings_.asked != nullptr && settings_.asked->counts)
    for (std::size_t i = 0; i < count_.tasks.size(); ++i)
      count_.tasks.at(i) += settings_.asked->counts->tasks.at(i);
}

} // namespace steadfast::store
