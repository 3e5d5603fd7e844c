#include "apps/views/tree.hpp"

#include "apps/terminal/table.hpp"
#include "apps/views/story.hpp"
#include "client/exact_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace steadfast::apps {
namespace {

using nlohmann::json;

bool is_moment(const std::string& name) {
  return name.ends_with("_at") || name.ends_with("_by") || name.ends_with("_until") || name == "at";
}

std::string words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string value_text(const std::string& name, const json& value, workflow::instant now) {
  if (value.is_null())
    return "-";
  if (value.is_boolean())
    return value.get<bool>() ? "yes" : "no";
  if (value.is_string() && is_moment(name) && instant_of(value) != workflow::unset)
    return moment_text(value, now);
  if (value.is_string())
    return value.get<std::string>().empty() ? "-" : value.get<std::string>();
  if (!value.is_structured())
    return exact_text(value);
  std::string all;
  for (const auto& [key, v] : value.items())
    all += (all.empty() ? "" : ", ") + (value.is_object() ? words(key) + " " : "") + value_text(key, v, now);
  return all.empty() ? "-" : all;
}

bool is_count_of_rest(const json& entry) {
  return entry.is_object() && entry.size() == 1 && entry.contains("more");
}

/// REQUIRES: a list of objects with the same members.
std::string table_text(const json& list, workflow::instant now, const terminal& to) {
  std::vector<std::string> names;
  for (const auto& [name, value] : list.front().items())
    names.push_back(name);
  std::vector<std::string> headings;
  std::transform(names.begin(), names.end(), std::back_inserter(headings), words);
  table rows{headings};
  std::string rest;
  for (const auto& entry : list) {
    if (is_count_of_rest(entry)) {
      rest = "  and " + entry.at("more").dump() + " more\n";
      continue;
    }
    std::vector<cell> row;
    row.reserve(names.size());
    for (const auto& name : names)
      row.emplace_back(value_text(name, entry.at(name), now));
    rows.add(std::move(row));
  }
  return rows.text(to, 2) + rest;
}

} // namespace

std::string tree_text(const json& object, workflow::instant now, const terminal& to) {
  std::size_t widest = 0;
  for (const auto& [name, value] : object.items())
    widest = std::max(widest, name.size());
  std::string lines;
  std::string tables;
  for (const auto& [name, value] : object.items())
    if (value.is_array() && !value.empty() && value.front().is_object())
      tables += words(name) + "\n" + table_text(value, now, to);
    else
      lines +=
        words(name) + std::string(widest + 2 - name.size(), ' ') + printable(value_text(name, value, now)) + '\n';
  return lines + tables;
}

} // namespace steadfast::apps
