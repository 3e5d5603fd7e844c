#include "apps/simulate/simulate_requirements.hpp"

#include "apps/terminal/failure.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"
#include "workflow/text/nearest.hpp"
#include "workflow/text/split.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

namespace steadfast::apps {
namespace {

const std::vector<std::string> figures{"processed", "undone", "error", "residue", "doubled",
                                       "missing",   "p50",    "p99",   "longest"};

bool is_time(const std::string& figure) {
  return figure == "p50" || figure == "p99" || figure == "longest";
}

[[noreturn]] void refuse(const std::string& part, const std::string& why) {
  throw failure{wrong_usage, "--require: `" + part + "` " + why};
}

std::optional<double> number_in(std::string_view text) {
  double n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc{} && end == text.data() + text.size() && n >= 0 ? std::optional{n} : std::nullopt;
}

void read_bound(requirement& r, std::string_view value) {
  if (is_time(r.figure)) {
    const auto span = runtime::parse_span(value);
    if (!span)
      refuse(r.text, "needs a length of time: " + std::string{runtime::span_rule});
    r.in = requirement::unit::time;
    r.bound = static_cast<double>(span->count());
    return;
  }
  const bool is_share = value.ends_with('%');
  const auto n = number_in(is_share ? value.substr(0, value.size() - 1) : value);
  if (!n || (is_share && *n > 100))
    refuse(r.text,
           "needs a number of tasks, such as " + r.figure + "=0, or a share of them, such as " + r.figure + "<=5%");
  r.in = is_share ? requirement::unit::share : requirement::unit::tasks;
  r.bound = *n;
}

requirement requirement_of(const std::string& part) {
  requirement r;
  r.text = part;
  const auto at = part.find_first_of("<>=");
  r.figure = part.substr(0, at);
  if (std::find(figures.begin(), figures.end(), r.figure) == figures.end()) {
    const auto meant = workflow::nearest(r.figure, figures);
    std::string all;
    for (const auto& f : figures)
      all += (all.empty() ? "" : ", ") + f;
    refuse(part, "names no figure" + (meant ? "; did you mean `" + *meant + "`?" : "; there are " + all));
  }
  if (at == std::string::npos)
    refuse(part, "says nothing of it: write " + r.figure + (is_time(r.figure) ? "<=30s" : "<=5%"));
  r.is = part.substr(at, at + 1 < part.size() && part[at] != '=' && part[at + 1] == '=' ? 2 : 1);
  read_bound(r, std::string_view{part}.substr(at + r.is.size()));
  return r;
}

double measured(const requirement& r, const simulation::run_result& all) {
  if (r.in == requirement::unit::time) {
    simulation::durations took;
    for (const auto& [state, lengths] : all.took)
      took.add(lengths);
    return static_cast<double>(took.percentile(r.figure == "p50" ? 50 : r.figure == "p99" ? 99 : 100).count());
  }
  const auto tasks = r.figure == "processed" ? all.processed
                     : r.figure == "undone"  ? all.undone
                     : r.figure == "error"   ? all.in_error
                     : r.figure == "residue" ? all.residue
                     : r.figure == "doubled" ? all.doubled
                                             : all.missing;
  const auto n = static_cast<double>(tasks);
  return r.in == requirement::unit::tasks ? n : all.tasks == 0 ? 0 : 100 * n / static_cast<double>(all.tasks);
}

bool holds(double is, const std::string& relation, double bound) {
  return relation == ">="   ? is >= bound
         : relation == "<=" ? is <= bound
         : relation == ">"  ? is > bound
         : relation == "<"  ? is < bound
                            : is == bound;
}

std::string text_of(const requirement& r, double n) {
  if (r.in == requirement::unit::time)
    return rough_text(workflow::span{static_cast<workflow::span::rep>(n)});
  char text[32];
  std::snprintf(text, sizeof text, r.in == requirement::unit::share ? "%.2f %%" : "%.0f", n);
  return text;
}

} // namespace

std::vector<requirement> requirements_of(std::string_view text) {
  std::vector<requirement> all;
  for (const auto one : workflow::split(text, ','))
    all.push_back(requirement_of(std::string{one}));
  return all;
}

requirement_result result_of(const requirement& r, const simulation::run_result& all) {
  const auto n = measured(r, all);
  return {r.text, text_of(r, n), n, holds(n, r.is, r.bound)};
}

} // namespace steadfast::apps
