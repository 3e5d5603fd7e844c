#include "workflow/children/child_payload.hpp"

#include "workflow/children/child.hpp"
#include "workflow/definition/item_workflow.hpp"
#include "workflow/text/json_place.hpp"
#include "workflow/text/json_scan.hpp"
#include "workflow/text/name.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace steadfast::workflow {

namespace {

constexpr std::size_t child_problems_max = 5;

/// Its tasks are given what the payload has at a place, or each item of it, and nothing else.
bool gives_part_of_payload(const step_definition& s) {
  if (!starts_child(s) || s.when || s.wait->at.from != source::kind::payload)
    return false;
  const bool is_item_as_it_is = !has_item_workflow(s) && is_without_input(s) && s.wait->may_fail == 0;
  return !is_over_items(s) || is_item_as_it_is;
}

/// Empty: it could begin.
std::string why_no_task(const workflow_of_child& of, std::string_view payload) {
  const auto lacks = of.needs->problems(payload);
  return lacks.empty() ? problem_of_limit_key(*of.what, payload) : lacks.front();
}

class family {
public:
  explicit family(const find_workflow& find) : find_{find} {}

  /// `path`: the steps that lead to a task of `d`, for people.
  void look_at(const definition& d, std::string_view payload, const std::string& path, std::uint32_t depth) {
    if (depth == depth_max)
      return;
    for (std::size_t i = 0; i < d.steps.size() && found_.size() < child_problems_max; ++i)
      if (const auto& s = d.steps[i]; gives_part_of_payload(s))
        look_at_step(d, i, s.wait->at.pointer.empty() ? payload : json_value_at(payload, s.wait->at.pointer), path,
                     depth);
  }

  std::vector<std::string> found() && { return std::move(found_); }

private:
  void look_at_step(const definition& d, std::size_t i, std::optional<std::string_view> part, const std::string& path,
                    std::uint32_t depth) {
    const auto& s = d.steps[i];
    const auto of = find_(s.wait->name);
    if (!part || of.what == nullptr)
      return;
    const auto at = "step " + quoted(s.name) + path;
    if (!is_over_items(s)) {
      look_at_task(of, *part, at, depth);
      return;
    }
    json_scan in{*part};
    std::size_t item = 0;
    bool is_well = true;
    for (bool more = in.enter(); more && is_well; more = in.more()) // that it is an array is a need of `d`
      is_well = look_at_task(of, in.value(), "item " + std::to_string(item++) + " of " + at, depth);
  }

  /// False: it could not begin.
  bool look_at_task(const workflow_of_child& of, std::string_view payload, const std::string& at, std::uint32_t depth) {
    if (!seen_.emplace(of.what, payload.data(), payload.size()).second)
      return true;
    if (const auto why = why_no_task(of, payload); !why.empty()) {
      found_.push_back("the task of workflow " + quoted(of.what->name) + " that " + at
                       + " starts could not begin: " + why);
      return false;
    }
    look_at(*of.what, payload, " of that of " + at, depth + 1);
    return true;
  }

  const find_workflow& find_;
  std::set<std::tuple<const definition*, const char*, std::size_t>> seen_;
  std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> problems_of_children(const definition& d, std::string_view payload,
                                              const find_workflow& find) {
  family all{find};
  all.look_at(d, payload, {}, 0);
  return std::move(all).found();
}

} // namespace steadfast::workflow
