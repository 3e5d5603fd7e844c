#include "workflow/supervision/node_card.hpp"

#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"
#include "workflow/time/time_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace steadfast::workflow {

namespace {

constexpr std::string_view supervisor_lease_of_partition = "supervisor.partition-";
constexpr std::string_view lease_prefix = "node/";
constexpr std::array<std::pair<std::string_view, bool node_roles::*>, 4> roles_known{{
  {"store", &node_roles::store},
  {"scheduler", &node_roles::scheduler},
  {"supervisor", &node_roles::supervisor},
  {"agents", &node_roles::agents},
}};

/// None of an empty text.
std::vector<std::string_view> words_of(std::string_view list) {
  return list.empty() ? std::vector<std::string_view>{} : split(list, ',');
}

/// What follows `key` in the part of the note that begins with it.
std::optional<std::string_view> value_of(const std::vector<std::string_view>& parts, std::string_view key) {
  for (const auto& part : parts)
    if (part.starts_with(key))
      return part.substr(key.size());
  return std::nullopt;
}

/// Nothing: one of these words is no role.
template <class Words>
std::optional<node_roles> roles_of(const Words& words) {
  node_roles r{false, false, false, false};
  for (const std::string_view wanted : words) {
    const auto* known =
      std::find_if(roles_known.begin(), roles_known.end(), [&](const auto& role) { return role.first == wanted; });
    if (known == roles_known.end())
      return std::nullopt;
    r.*known->second = true;
  }
  return r;
}

/// In their order. Each has a word of its own, since a release that knows some reads no other.
constexpr std::array<std::pair<knowledge, std::string_view>, 9> knowledge_words{
  {{knowledge::waits, "waits"},
   {knowledge::events, "events"},
   {knowledge::schedules, "schedules"},
   {knowledge::children, "children"},
   {knowledge::limits, "limits"},
   {knowledge::for_each, "for_each"},
   {knowledge::rates, "rates"},
   {knowledge::expectations, "expectations"},
   {knowledge::empty_inputs, "empty_inputs"}}};
static_assert(knowledge_words.back().first == newest_knowledge);

} // namespace

std::string to_string(const node_roles& r) {
  std::vector<std::string> names;
  for (const auto& [name, member] : roles_known)
    if (r.*member)
      names.emplace_back(name);
  return joined(names, ",");
}

std::optional<node_roles> parse_roles(const std::vector<std::string>& names) {
  return roles_of(names);
}

std::string supervisor_lease_of(std::size_t partition) {
  return std::string{supervisor_lease_of_partition} + std::to_string(partition);
}

std::optional<std::uint32_t> partition_of_supervisor_lease(std::string_view lease) {
  if (!lease.starts_with(supervisor_lease_of_partition))
    return std::nullopt;
  lease.remove_prefix(supervisor_lease_of_partition.size());
  std::uint32_t partition = 0;
  const auto [end, error] = std::from_chars(lease.data(), lease.data() + lease.size(), partition);
  return error == std::errc{} && end == lease.data() + lease.size() ? std::optional{partition} : std::nullopt;
}

bool is_supervisor_lease(std::string_view lease) {
  return lease == supervisor_lease_name || partition_of_supervisor_lease(lease).has_value();
}

std::string node_lease_name(std::string_view node) {
  return std::string{lease_prefix}.append(node);
}

std::optional<std::string> node_of_lease(std::string_view lease) {
  if (!lease.starts_with(lease_prefix))
    return std::nullopt;
  return std::string{lease.substr(lease_prefix.size())};
}

std::string note_of(const node_card& card) {
  auto note = "address=" + card.address + " roles=" + to_string(card.roles) + " agents=" + joined(card.agents, ",");
  for (const auto& [what, word] : knowledge_words)
    if (card.knows >= what)
      note += " knows=" + std::string{word};
  if (card.drained)
    note += " drained=yes";
  if (card.certificate_until != unset)
    note += " certificate_until=" + utc_text(card.certificate_until);
  return note;
}

std::optional<node_card> card_of(std::string_view lease, std::string_view note) {
  auto name = node_of_lease(lease);
  if (!name)
    return std::nullopt;
  const auto parts = split(note, ' ');
  const auto address = value_of(parts, "address=");
  const auto roles = roles_of(words_of(value_of(parts, "roles=").value_or("?")));
  const auto named = value_of(parts, "agents=");
  if (!address || !roles || !named)
    return std::nullopt;
  node_card card{std::move(*name), std::string{*address}, *roles, {}};
  card.knows = knowledge::none;
  for (const auto& [what, word] : knowledge_words)
    if (std::find(parts.begin(), parts.end(), "knows=" + std::string{word}) != parts.end())
      card.knows = what;
  card.drained = value_of(parts, "drained=") == "yes";
  card.certificate_until = parse_utc_text(value_of(parts, "certificate_until=").value_or("")).value_or(unset);
  for (const auto agent : words_of(*named))
    if (is_name(agent))
      card.agents.emplace_back(agent);
  return card;
}

std::optional<std::string> older_node(std::string_view lease, std::string_view note, knowledge needed) {
  auto card = card_of(lease, note);
  return card && card->knows < needed ? std::optional{std::move(card->name)} : std::nullopt;
}

std::string upgrade_first(std::string_view node, std::string_view what) {
  return "node " + quoted(node) + " runs a release that does not support " + std::string{what}
         + ": upgrade all nodes first";
}

} // namespace steadfast::workflow
