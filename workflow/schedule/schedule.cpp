#include "workflow/schedule/schedule.hpp"

#include "workflow/priority.hpp"
#include "workflow/schedule/cron.hpp"
#include "workflow/schedule/overlap_names.hpp"
#include "workflow/text/json_place.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"
#include "workflow/time/time_text.hpp"
#include "workflow/time/zone.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace steadfast::workflow {

namespace {

constexpr span longest_span{std::chrono::hours{24 * 3653}};

/// FNV-1a, then mixed so that moments that are near give numbers that are not.
std::uint64_t number_of(std::string_view name, instant moment) {
  std::uint64_t h = 0xcbf29ce484222325;
  const auto add = [&h](std::uint8_t byte) { h = (h ^ byte) * 0x100000001b3; };
  for (const char c : name)
    add(static_cast<std::uint8_t>(c));
  const auto ms = static_cast<std::uint64_t>(moment.time_since_epoch().count());
  for (unsigned i = 0; i < 64; i += 8)
    add(static_cast<std::uint8_t>(ms >> i));
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
  h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
  return h ^ (h >> 31);
}

/// A JSON object, and where its members begin.
std::optional<std::size_t> members_of(std::string_view json) {
  const auto at = json.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && json[at] == '{' ? std::optional{at + 1} : std::nullopt;
}

void check_times(const schedule& s, std::vector<std::string>& found) {
  if (s.cron.empty() == (s.every == span{0}))
    found.emplace_back("it must have either `cron` or `every`");
  if (!is_time_zone(s.zone))
    found.push_back("zone " + quoted(s.zone) + " is not a time zone that this system knows");
  if (s.every != span{0} && (s.every < every_min || s.every > longest_span))
    found.emplace_back("every must be at least a second and at most ten years");
  if (s.jitter < span{0} || s.jitter > jitter_max || (s.every != span{0} && s.jitter > s.every))
    found.emplace_back("jitter must be at most a day, and at most `every`");
  if (s.catch_up < span{0} || s.catch_up > longest_span)
    found.emplace_back("catch_up must be at most ten years");
  if (s.catch_up_max == 0 || s.catch_up_max > catch_up_limit)
    found.push_back("catch_up_max must lie between 1 and " + std::to_string(catch_up_limit));
  if (s.cron.empty())
    return;
  const auto read = read_cron(s.cron);
  if (!read.rule)
    found.push_back("cron " + quoted(s.cron) + ": " + read.wrong);
  else if (is_time_zone(s.zone) && !next_moment(*read.rule, s.zone, unset))
    found.push_back("cron " + quoted(s.cron) + " never comes");
}

} // namespace

std::string_view to_string(overlap x) {
  const std::size_t place = static_cast<std::size_t>(x) - 1;
  return place < std::size(overlap_names) ? overlap_names[place] : "?";
}

std::optional<overlap> parse_overlap(std::string_view text) {
  const auto* const known = std::find(std::begin(overlap_names), std::end(overlap_names), text);
  if (known == std::end(overlap_names))
    return std::nullopt;
  return static_cast<overlap>(known - overlap_names + 1);
}

std::vector<std::string> problems(const schedule& s) {
  std::vector<std::string> found;
  if (!is_name(s.name))
    found.push_back("name must be " + std::string{name_rule});
  if (!is_name(s.workflow))
    found.push_back("workflow must be " + std::string{name_rule});
  if (to_string(s.rule) == "?")
    found.push_back("overlap must be one of " + joined({std::begin(overlap_names), std::end(overlap_names)}, ", "));
  if (s.priority && *s.priority > priority_max)
    found.push_back("priority must be at most " + std::to_string(priority_max));
  if (!s.payload.empty() && !is_json(s.payload.view()))
    found.emplace_back("payload is not a JSON text");
  else if (!s.moment_as.empty()) {
    if (!is_name(s.moment_as))
      found.push_back("moment_as must be " + std::string{name_rule});
    else if (!s.payload.empty() && !members_of(s.payload.view()))
      found.emplace_back("moment_as names a member of the payload, which is no object");
    else if (!s.payload.empty() && json_value_at(s.payload.view(), "/" + s.moment_as))
      found.push_back("moment_as names a member that the payload has: " + quoted(s.moment_as));
  }
  check_times(s, found);
  return found;
}

bool has_same_times(const schedule& a, const schedule& b) {
  return a.cron == b.cron && a.every == b.every && a.zone == b.zone;
}

std::optional<instant> next_moment(const schedule& s, instant after) {
  if (after >= instant_max)
    return std::nullopt;
  if (s.every == span{0})
    return next_moment(*read_cron(s.cron).rule, s.zone, std::max(after, unset));
  const auto since = std::max(after, unset).time_since_epoch();
  const instant next{(since / s.every + 1) * s.every};
  return next <= instant_max ? std::optional{next} : std::nullopt;
}

instant start_of(const schedule& s, instant moment) {
  if (s.jitter <= span{0})
    return moment;
  return moment
         + span{static_cast<span::rep>(number_of(s.name, moment) % static_cast<std::uint64_t>(s.jitter.count()))};
}

/// Looks back over longer and longer stretches, so that it takes as long as there are moments to serve, and not as many
/// as were missed.
due_moments moments_due(const schedule& s, instant after, instant now) {
  due_moments d;
  d.until = after;
  const auto first = next_moment(s, after);
  if (!first || start_of(s, *first) > now)
    return d;
  const auto oldest = std::max(after, now - s.catch_up - s.jitter - span{1});
  for (auto back = std::max(s.every, span{std::chrono::minutes{10}}) * (s.catch_up_max + 2);; back *= 4) {
    const auto from = std::max(oldest, now - back - s.jitter);
    std::vector<instant> due;
    for (auto m = next_moment(s, from); m && start_of(s, *m) <= now; m = next_moment(s, *m))
      due.push_back(*m);
    if (due.size() <= s.catch_up_max && from > oldest)
      continue;
    d.until = due.empty() ? std::max(after, oldest) : due.back();
    d.served = std::move(due);
    if (d.served.size() > s.catch_up_max)
      d.served.erase(d.served.begin(), d.served.end() - static_cast<std::ptrdiff_t>(s.catch_up_max));
    break;
  }
  if (d.served.empty() || d.served.front() != *first) {
    d.missed_from = *first;
    d.missed_to = d.served.empty() ? d.until : d.served.front() - span{1};
  }
  return d;
}

std::string task_id_of(std::string_view schedule, instant moment) {
  auto text = utc_text(moment);
  if (text.ends_with(".000Z"))
    text.replace(text.size() - 5, 5, "Z");
  return std::string{schedule} + "@" + text;
}

std::optional<schedule_moment> schedule_in(std::string_view task_id) {
  const auto at = task_id.find('@');
  if (at == std::string_view::npos || !is_name(task_id.substr(0, at)))
    return std::nullopt;
  const auto moment = parse_moment(task_id.substr(at + 1));
  if (!moment || task_id_of(task_id.substr(0, at), *moment) != task_id)
    return std::nullopt;
  return schedule_moment{std::string{task_id.substr(0, at)}, *moment};
}

blob payload_for(const schedule& s, instant moment) {
  const auto text = s.payload.empty() ? std::string_view{"{}"} : s.payload.view();
  if (s.moment_as.empty())
    return blob{std::string{text}};
  const auto begin = *members_of(text);
  const auto rest = text.substr(begin);
  const bool has_others = rest.substr(std::min(rest.find_first_not_of(" \t\r\n"), rest.size())).front() != '}';
  return blob{"{\"" + s.moment_as + "\":\"" + utc_text(moment) + "\"" + (has_others ? "," : "") + std::string{rest}};
}

} // namespace steadfast::workflow
