#include "store/verbs/tasks/new_task.hpp"

#include "store/verbs/tasks/decide_task.hpp"
#include "workflow/task/invariants.hpp"
#include "workflow/task/partition.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"

#include <string>
#include <utility>

namespace steadfast::store {

namespace {

submitted_task not_submitted(write_status v, std::string why) {
  return {turned_down(v, std::move(why))};
}

std::vector<workflow::notice> first_notices(const submit_task& w) {
  if (w.what.reply_to.empty())
    return {};
  return {{1, workflow::notice_kind::accepted, {}, {}, w.now}};
}

answer<submit_task> told_of(const workflow::task& t, bool created) {
  return {applied(), {created, t.number, t.state}};
}

new_task as_new(std::shared_ptr<const workflow::task> t, std::vector<workflow::notice> notices,
                definition_cache::entry d) {
  new_task x;
  x.notices = std::move(notices);
  results_of(*t, {}, {}, x.results);
  x.index = workflow::indexed_values(*d, t->payload.view());
  std::vector<large_result> large;
  for (const auto& r : x.results)
    large.push_back(r.is);
  x.outline = outline_of(*t, t->revision, t->payload.size(), std::move(large), {}, std::move(d));
  x.task = std::move(t);
  return x;
}

} // namespace

new_task new_task_of(const import_task& w, std::uint64_t number, definition_cache::entry d) {
  auto x = taken_in(w, number);
  if (x.task.reply_to.empty())
    x.notices.clear();
  auto made = as_new(std::make_shared<const workflow::task>(std::move(x.task)), std::move(x.notices), std::move(d));
  made.is_taken_in = true;
  return made;
}

std::string problem_of_partition(const std::string& id, std::string_view payload, const workflow::definition& of,
                                 std::uint32_t partitions) {
  if (partitions == 1 || !of.limit)
    return {};
  const auto key = workflow::limit_key_of(of, payload).text;
  const auto its_part = workflow::partition_key(key);
  if (its_part == workflow::partition_key(id))
    return {};
  return "the store has " + std::to_string(partitions)
         + " partitions, and its workflow limits tasks by payload:" + of.limit->pointer
         + ": all before the first `/` of the id must be the same as in that key, " + workflow::quoted(its_part);
}

std::string problem_of_payload(std::string_view payload, const known_workflow& of) {
  if (const auto lacks = of.needs->problems(payload); !lacks.empty())
    return workflow::joined(lacks, "; ");
  if (auto no_key = workflow::problem_of_limit_key(*of.definition, payload); !no_key.empty())
    return no_key;
  if (of.find)
    return workflow::joined(workflow::problems_of_children(*of.definition, payload, of.find), "; ");
  return {};
}

bool is_news(const workflow::task& made) {
  return made.state == workflow::process_state::pending;
}

submitted_task decide(const submit_task& w, const known_workflow& of, std::uint64_t number,
                      const std::function<bool(std::uint64_t payload_size)>& has_room,
                      const workflow::parent_link& parent) {
  if (!of.definition)
    return not_submitted(write_status::absent,
                         "there is no workflow " + w.what.workflow
                           + (w.what.version != 0 ? " version " + std::to_string(w.what.version) : ""));
  if (auto why = problem_of_payload(w.what.payload.view(), of); !why.empty())
    return not_submitted(write_status::refused, std::move(why));
  if (auto why = problem_of_partition(w.what.id, w.what.payload.view(), *of.definition, of.partitions); !why.empty())
    return not_submitted(write_status::refused, std::move(why));
  if (!has_room(w.what.payload.size()))
    return {{}, true};
  auto made = std::make_shared<workflow::task>(workflow::make_task(w.what, *of.definition, w.now));
  made->number = number;
  made->revision = 1;
  if (!parent.empty())
    made->parent.change() = parent;
  if (const auto broken = workflow::broken_invariants(*made, *of.definition); !broken.empty())
    return not_submitted(write_status::refused, "the task would be broken: " + broken.front());
  auto said = told_of(*made, true);
  return {std::move(said), false, as_new(std::move(made), first_notices(w), of.definition)};
}

answer<submit_task> submitted_before(const submit_task& w, const workflow::task* there) {
  if (there == nullptr)
    return turned_down(write_status::refused,
                       "the task " + w.what.id
                         + " was set aside because its records are damaged: restore a copy of the "
                           "store to get it back, or submit the work under another id");
  return told_of(*there, false);
}

no_room no_room_for_work(const store_options& limits, bool is_disk_full, workflow::instant now) {
  const auto why = is_disk_full
                     ? "the disk of the store is full, new work is refused: make room on it"
                     : "the store is full, new work is refused: of " + name_of_limit(limits) + ", "
                         + mib_text(limits.size_max) + ", " + mib_text(limits.size_reserve)
                         + " are kept for work that was accepted; raise it, or have retention remove ended tasks";
  const workflow::alert told{is_disk_full ? "disk_full" : "store_full", why, {}, now};
  return {turned_down(write_status::full, why), {0, {}, told, workflow::signature_of(told, nullptr, nullptr)}};
}

} // namespace steadfast::store
