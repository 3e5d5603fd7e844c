#include "examples/services/front/faults.hpp"

#include "examples/services/requests/hash.hpp"

#include <algorithm>
#include <charconv>

namespace services {

namespace {

constexpr double grace_used_ms = 500; ///< of the second that workflows leave after complete-by if not said otherwise
constexpr std::size_t keys_counted_max = 4'000'000; ///< then the counts begin again

const switch_entry* find_switch(const std::string& name) {
  const auto& all = switch_entries();
  const auto found = std::find_if(all.begin(), all.end(), [&](const switch_entry& e) { return e.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string change_one(fault_switches& f, const std::string& name, const json& value) {
  const auto* entry = find_switch(name);
  if (!entry)
    return "there is no switch `" + name + "`";
  if (entry->flag) {
    if (!value.is_boolean())
      return "switch `" + name + "` must be true or false";
    f.*entry->flag = value.get<bool>();
    return {};
  }
  if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > entry->most)
    return "switch `" + name + "` must be a number from 0 to " + std::to_string(static_cast<long>(entry->most));
  f.*entry->number = value.get<double>();
  return {};
}

/// A number from 0 to 1 that depends only on the text.
double chance_of(std::uint64_t seed, const std::string& text) {
  const auto mixed = hash_number(std::to_string(seed) + "|" + text);
  return static_cast<double>(mixed >> 11) * 0x1.0p-53;
}

bool concerns(const fault_switches& f, action a) {
  return a == action::perform ? f.on_do : a == action::undo ? f.on_undo : f.on_probe;
}

bool* flag_of(fate& f, std::string_view name) {
  if (name == "transient")
    return &f.transient;
  if (name == "error_after")
    return &f.error_after;
  if (name == "hang_before")
    return &f.hang_before;
  if (name == "hang_after")
    return &f.hang_after;
  if (name == "late")
    return &f.late;
  if (name == "twice")
    return &f.twice;
  if (name == "lose")
    return &f.lose;
  if (name == "refuse")
    return &f.refuse;
  if (name == "later")
    return &f.later;
  return nullptr;
}

void force_one(fate& f, std::string_view wish, std::uint64_t occurrence) {
  const auto colon = wish.find(':');
  std::uint64_t times = 0;
  if (colon != std::string_view::npos) {
    std::from_chars(wish.data() + colon + 1, wish.data() + wish.size(), times);
    if (occurrence >= times)
      return;
  }
  if (auto* flag = flag_of(f, wish.substr(0, colon)))
    *flag = true;
}

} // namespace

const std::vector<switch_entry>& switch_entries() {
  using f = fault_switches;
  static const std::vector<switch_entry> all = {
    {"transient", "share of requests answered 503 before anything took place", &f::transient},
    {"error_after", "share carried out and answered 500", &f::error_after},
    {"hang_before", "share held for hang_seconds, then carried out", &f::hang_before},
    {"hang_after", "share carried out, then held for hang_seconds", &f::hang_after},
    {"late", "share answered late_min_ms to late_max_ms after it was carried out", &f::late},
    {"twice", "share carried out twice, as if the request had arrived twice", &f::twice},
    {"lose", "share whose connection is closed at once; carried out later, up to half a second after complete-by",
     &f::lose},
    {"refuse", "share of keys refused for good with 422", &f::refuse},
    {"later",
     "share of requests with a token that are carried out and answered 202; DATA/NAME.tokens.jsonl has the token",
     &f::later},
    {"hang_seconds", "how long a held request is held", &f::hang_seconds, nullptr, 86'400},
    {"hang_then_close", "a held request ends with a closed connection, held before: nothing takes place", nullptr,
     &f::hang_then_close},
    {"late_min_ms", "least delay of a late answer", &f::late_min_ms, nullptr, 600'000},
    {"late_max_ms", "largest delay of a late answer", &f::late_max_ms, nullptr, 600'000},
    {"retry_after_seconds", "above 0: sent as Retry-After with each 503", &f::retry_after_seconds, nullptr, 3600},
    {"on_do", "faults are drawn for requests to do", nullptr, &f::on_do},
    {"on_undo", "faults are drawn for requests to undo", nullptr, &f::on_undo},
    {"on_probe", "faults are drawn for probes", nullptr, &f::on_probe},
    {"dedup", "false: the key is ignored, each request takes place anew", nullptr, &f::dedup},
  };
  return all;
}

json to_json(const fault_switches& f) {
  json out = json::object();
  for (const auto& entry : switch_entries()) {
    if (entry.flag)
      out[std::string{entry.name}] = f.*entry.flag;
    else
      out[std::string{entry.name}] = f.*entry.number;
  }
  return out;
}

std::string change(fault_switches& f, const json& changes) {
  if (!changes.is_object())
    return "the body must be a JSON object";
  auto next = f;
  for (const auto& [name, value] : changes.items())
    if (auto wrong = change_one(next, name, value); !wrong.empty())
      return wrong;
  if (next.late_min_ms > next.late_max_ms)
    return "switch `late_min_ms` must not be above `late_max_ms`";
  f = next;
  return {};
}

fate forced_fate(const json& wish, std::uint64_t occurrence) {
  fate f;
  if (wish.is_string())
    force_one(f, wish.get_ref<const std::string&>(), occurrence);
  else if (wish.is_array())
    for (const auto& one : wish)
      if (one.is_string())
        force_one(f, one.get_ref<const std::string&>(), occurrence);
  return f;
}

fault_switches fault_box::switches() const {
  const std::lock_guard guard{mutex_};
  return switches_;
}

std::string fault_box::change_switches(const json& changes) {
  const std::lock_guard guard{mutex_};
  return change(switches_, changes);
}

std::uint64_t fault_box::count_occurrence(const call& c) {
  const auto place = hash_number(c.key + "|" + std::string{to_string(c.action)});
  const std::lock_guard guard{mutex_};
  if (occurrences_.size() >= keys_counted_max)
    occurrences_.clear();
  return occurrences_[place]++;
}

fate fault_box::draw(const call& c, std::uint64_t occurrence) const {
  const auto f = switches();
  const auto request = c.key + "|" + std::string{to_string(c.action)} + "|" + std::to_string(c.attempt) + "|"
                       + std::to_string(c.attempt_try) + "|" + std::to_string(occurrence);
  const auto drawn = [&](const char* what, double share) { return chance_of(seed_, what + request) < share; };
  fate out;
  out.late_ms = f.late_min_ms + chance_of(seed_, "late_ms" + request) * (f.late_max_ms - f.late_min_ms);
  out.lost_ms = chance_of(seed_, "lost_ms" + request) * (static_cast<double>(c.time_left_ms) + grace_used_ms);
  if (!concerns(f, c.action))
    return out;
  out.transient = drawn("transient", f.transient);
  out.error_after = drawn("error_after", f.error_after);
  out.hang_before = drawn("hang_before", f.hang_before);
  out.hang_after = drawn("hang_after", f.hang_after);
  out.late = drawn("late", f.late);
  out.twice = drawn("twice", f.twice);
  out.lose = c.action != action::probe && drawn("lose", f.lose);
  out.refuse = c.action == action::perform && chance_of(seed_, "refuse" + c.key) < f.refuse;
  out.later = !c.token.empty() && drawn("later", f.later);
  return out;
}

} // namespace services
