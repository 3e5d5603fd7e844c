#include "workflow/transition/condition_holds.hpp"

#include "workflow/task/mapped.hpp"
#include "workflow/text/canonical_json.hpp"
#include "workflow/text/json_place.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

namespace steadfast::workflow {

namespace {

/// `values`: the value that a comparison is about, as JSON; nothing: there is none.
template <class Values>
bool holds(const condition& c, const Values& v) {
  const auto part_holds = [&](const condition& part) { return holds(part, v); };
  if (c.is == condition::test::all)
    return std::all_of(c.parts.begin(), c.parts.end(), part_holds);
  if (c.is == condition::test::any)
    return std::any_of(c.parts.begin(), c.parts.end(), part_holds);
  if (c.is == condition::test::negated)
    return std::none_of(c.parts.begin(), c.parts.end(), part_holds);
  const auto value = v(c);
  if (!value)
    return c.is == condition::test::absent;
  const auto is_ordered = [&](auto as_wanted) {
    const auto order = compare_json_numbers(*value, c.literal);
    return order && as_wanted(*order, 0);
  };
  switch (c.is) {
    case condition::test::equals: return is_same_json(*value, c.literal);
    case condition::test::differs: return !is_same_json(*value, c.literal);
    case condition::test::present: return true;
    case condition::test::above: return is_ordered(std::greater{});
    case condition::test::at_least: return is_ordered(std::greater_equal{});
    case condition::test::below: return is_ordered(std::less{});
    case condition::test::at_most: return is_ordered(std::less_equal{});
    default: return false;
  }
}

} // namespace

bool condition_holds(const condition& c, const task& t, const definition& d) {
  return holds(c, [&](const condition& one) {
    return one.step == payload_word ? payload_at(t, one.pointer)
                                    : fact_at(t.steps[*find_step(d, one.step)], one.pointer);
  });
}

bool condition_holds(const condition& c, const std::vector<fact>& facts) {
  return holds(c, [&](const condition& one) { return fact_in(facts, one.pointer); });
}

} // namespace steadfast::workflow
