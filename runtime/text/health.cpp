#include "runtime/text/health.hpp"

#include "runtime/text/time_text.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"
#include "workflow/time/time_text.hpp"

#include <algorithm>
#include <cstdint>

namespace steadfast::runtime {

namespace {

using nlohmann::json;
using workflow::counted;

constexpr std::size_t named_max = 3;   ///< incidents in the sentence
constexpr std::size_t cause_size = 60; ///< bytes
constexpr workflow::span wait_worth_telling{60'000};

std::string text_in(const json& x, const char* name) {
  return x.value(name, std::string{});
}

std::uint64_t number_in(const json& x, const char* name) {
  return x.value(name, std::uint64_t{0});
}

bool is_open(const json& incident) {
  return incident.value("closed_at", json{}).is_null();
}

bool counts(const json& incident, workflow::instant now) {
  return is_open(incident) && !is_muted(incident, now);
}

workflow::instant instant_of(const json& rfc3339) {
  return rfc3339.is_string() ? parse_utc(rfc3339.get<std::string>()).value_or(workflow::unset) : workflow::unset;
}

std::string shortened(const std::string& text, std::size_t size) {
  const auto cut = workflow::clipped(text, size);
  return cut.size() < text.size() ? cut + "..." : cut;
}

/// Told by the second; clients tell it in the time of whoever looks.
std::string since_text(const json& at) {
  const auto moment = instant_of(at);
  return moment == workflow::unset ? "a start" // while a store is opened there is no clock
                                   : workflow::utc_seconds_text(std::chrono::floor<std::chrono::seconds>(moment));
}

bool is_about(const json& incident, const json& node) {
  return text_in(incident, "kind") == "node_lost"
         && text_in(incident, "cause").find("`" + text_in(node, "name") + "`") != std::string::npos;
}

/// There is an incident for it, perhaps a muted one.
bool is_told_of(const json& node, const json& incidents) {
  return std::any_of(incidents.begin(), incidents.end(),
                     [&](const json& x) { return is_open(x) && is_about(x, node); });
}

/// It disappeared without a proper stop.
bool is_lost(const json& node, const json& incidents) {
  const auto state = text_in(node, "state");
  const bool lost =
    state == "silent"
    || (state == "gone" && !node.value("expires_at", json{}).is_null() && !node.value("drained", false));
  return lost && !is_told_of(node, incidents);
}

/// Of a condition: what is wrong, in its present words and without the rest.
std::string head_of(const json& x) {
  const auto text = text_in(x, "sample_text");
  return text.substr(0, text.find(';'));
}

/// A node is lost from the end of its lease on; the incident begins when that is noticed.
json begin_of(const json& incident, const health& h) {
  const auto first_at = incident.value("first_at", json{});
  for (const auto& n : h.nodes) {
    const auto end = n.value("expires_at", json{});
    if (is_about(incident, n) && !end.is_null() && instant_of(end) < instant_of(first_at))
      return end;
  }
  return first_at;
}

std::string words_of_incident(const json& x, const health& h) {
  if (x.value("is_condition", false))
    return shortened(head_of(x), cause_size + 20) + " since " + since_text(begin_of(x, h));
  auto who = text_in(x, "agent");
  if (who.empty())
    who = text_in(x, "kind");
  const auto tasks = number_in(x, "tasks");
  return who + ": " + shortened(text_in(x, "cause"), cause_size) + " since " + since_text(x.value("first_at", json{}))
         + (tasks == 0 ? "" : " (" + counted(tasks, "task") + ")");
}

std::string incidents_part(const health& h, workflow::instant now) {
  auto sorted = h.incidents;
  sort_incidents(sorted, now);
  std::string named;
  std::size_t count = 0;
  for (const auto& x : sorted)
    if (counts(x, now) && ++count <= named_max)
      named += (named.empty() ? "" : "; ") + words_of_incident(x, h);
  if (count == 0)
    return {};
  return counted(count, "incident").insert(0, h.more_incidents ? "more than " : "") + ": " + named
         + (count > named_max ? "; and " + std::to_string(count - named_max) + " more" : "");
}

std::string lost_nodes_part(const health& h) {
  std::string text;
  for (const auto& n : h.nodes)
    if (is_lost(n, h.incidents))
      text +=
        (text.empty() ? "node " : ", node ") + text_in(n, "name")
        + (text_in(n, "state") == "gone" ? " has been gone since " + since_text(n.at("expires_at")) : " is silent");
  return text;
}

/// The nodes that take tasks when they are not drained, if all of them are.
std::string drained_part(const health& h) {
  std::string drained;
  for (const auto& n : h.nodes) {
    if (!n.value("alive", false) || text_in(n, "roles").find("scheduler") == std::string::npos)
      continue;
    if (text_in(n, "state") != "drained")
      return {};
    drained += (drained.empty() ? "node " : ", node ") + text_in(n, "name");
  }
  return drained.empty() ? "" : "no node takes tasks until one is restarted; drained: " + drained;
}

bool is_alive(const json& node) {
  return node.value("alive", false);
}

/// For a moment when a node starts: it answers before its lease is granted.
std::string nobody_part(const health& h) {
  const bool is_told = h.store_trouble.is_string(); // without it no lease can be renewed
  return is_told || std::ranges::any_of(h.nodes, is_alive) ? "" : "no node has its lease, so none takes tasks";
}

std::uint64_t stuck_in(const health& h) {
  return h.stuck_report.is_null() ? 0 : h.stuck_report.at("stuck").size();
}

std::string wait_part(const health& h, workflow::instant now) {
  workflow::instant oldest = workflow::never;
  std::string id;
  if (!h.stuck_report.is_null())
    for (const auto& w : h.stuck_report.at("waits"))
      if (const auto since = instant_of(w.value("since", json{}));
          since != workflow::unset && since < oldest && !w.value("meant", false)) {
        oldest = since;
        id = text_in(w, "longest");
      }
  if (oldest == workflow::never || now - oldest < wait_worth_telling)
    return {};
  return " Oldest wait " + rough_text(now - oldest) + " (" + id + ").";
}

} // namespace

/// A mute without an end lasts until it is lifted.
bool is_muted(const json& incident, workflow::instant now) {
  const auto until = incident.value("muted_until", json{});
  return incident.value("muted", false) && (until.is_null() || instant_of(until) > now);
}

bool is_well(const health& h, workflow::instant now) {
  return std::none_of(h.incidents.begin(), h.incidents.end(), [now](const json& x) { return counts(x, now); })
         && std::none_of(h.nodes.begin(), h.nodes.end(), [&](const json& n) { return is_lost(n, h.incidents); })
         && drained_part(h).empty() && nobody_part(h).empty() && stuck_in(h) == 0 && !h.store_trouble.is_string();
}

std::string health_sentence(const health& h, workflow::instant now) {
  const auto alive = std::ranges::count_if(h.nodes, is_alive);
  const auto muted = std::count_if(h.incidents.begin(), h.incidents.end(),
                                   [now](const json& x) { return is_open(x) && is_muted(x, now); });
  if (is_well(h, now))
    return "All is well: no incident" + (muted == 0 ? "" : " but " + std::to_string(muted) + " muted") + ", "
           + std::to_string(alive) + " of " + counted(h.nodes.size(), "node") + " alive." + wait_part(h, now);
  std::string text;
  const auto stuck = stuck_in(h);
  const auto trouble = h.store_trouble.is_string() ? h.store_trouble.get<std::string>() : std::string{};
  for (const auto& part : {trouble, incidents_part(h, now), lost_nodes_part(h), drained_part(h), nobody_part(h),
                           stuck == 0 ? std::string{} : counted(stuck, "task") + " stuck (see `task stuck`)"})
    if (!part.empty())
      text += (text.empty() ? "" : ". ") + part;
  return text + "." + wait_part(h, now);
}

void sort_incidents(json& incidents, workflow::instant now) {
  std::stable_sort(incidents.begin(), incidents.end(), [now](const json& a, const json& b) {
    if (counts(a, now) != counts(b, now))
      return counts(a, now);
    return number_in(a, "tasks") > number_in(b, "tasks");
  });
}

} // namespace steadfast::runtime
