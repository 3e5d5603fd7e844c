#include "apps/views/json_changes.hpp"

#include "client/exact_json.hpp"
#include "runtime/text/quantity.hpp"
#include "workflow/text/json_place.hpp"

#include <algorithm>
#include <cstddef>

namespace steadfast::apps {
namespace {

using nlohmann::json;

constexpr std::size_t changes_shown = 40;
constexpr std::size_t value_columns_least = 24;
constexpr std::size_t value_columns_most = 200;

bool says_the_same(const json& a, const json& b) {
  return workflow::is_same_json(exact_text(a), exact_text(b));
}

class comparison {
public:
  void compare(const json::json_pointer& at, const json& a, const json& b) {
    if (a.is_object() && b.is_object())
      compare_members(at, a, b);
    else if (a.is_array() && b.is_array())
      compare_elements(at, a, b);
    else if (!says_the_same(a, b))
      found_.push_back({at.to_string(), a, b});
  }
  std::vector<json_change> found() && { return std::move(found_); }

private:
  void compare_members(const json::json_pointer& at, const json& a, const json& b) {
    auto all = a;
    all.update(b); // sorted by name
    for (const auto& [name, ignored] : all.items())
      if (!b.contains(name))
        found_.push_back({(at / name).to_string(), a.at(name), std::nullopt});
      else if (!a.contains(name))
        found_.push_back({(at / name).to_string(), std::nullopt, b.at(name)});
      else
        compare(at / name, a.at(name), b.at(name));
  }

  void compare_elements(const json::json_pointer& at, const json& a, const json& b) {
    std::size_t begin = 0;
    std::size_t tail = 0;
    const auto shorter = std::min(a.size(), b.size());
    if (a.size() != b.size()) {
      while (begin < shorter && says_the_same(a[begin], b[begin]))
        ++begin;
      while (begin + tail < shorter && says_the_same(a[a.size() - 1 - tail], b[b.size() - 1 - tail]))
        ++tail;
    }
    for (auto i = begin; i + tail < std::max(a.size(), b.size()); ++i) {
      const auto place = at / i;
      if (i + tail >= b.size())
        found_.push_back({place.to_string(), a[i], std::nullopt});
      else if (i + tail >= a.size())
        found_.push_back({place.to_string(), std::nullopt, b[i]});
      else
        compare(place, a[i], b[i]);
    }
  }

  std::vector<json_change> found_;
};

std::string line_of(const json_change& c, const terminal& to) {
  const auto place = c.pointer.empty() ? std::string{"all of it"} : printable(c.pointer);
  const auto taken = std::min(to.width, columns_of(place) + 12);
  const auto columns = std::clamp((to.width - taken) / 2, value_columns_least, value_columns_most);
  const auto value = [&](const json& j, colour c) { return painted(cut(printable(exact_text(j)), columns), c, to); };
  return "  " + place + ": "
         + (!c.before  ? "added " + value(*c.after, colour::good)
            : !c.after ? "removed, was " + value(*c.before, colour::bad)
                       : value(*c.before, colour::bad) + " -> " + value(*c.after, colour::good))
         + "\n";
}

} // namespace

std::vector<json_change> json_changes(const json& before, const json& after) {
  comparison c;
  c.compare(json::json_pointer{}, before, after);
  return std::move(c).found();
}

std::string changes_text(const std::vector<json_change>& changes, const terminal& to) {
  std::string text;
  const auto shown = std::min(changes.size(), changes_shown);
  for (std::size_t i = 0; i < shown; ++i)
    text += line_of(changes[i], to);
  if (shown < changes.size())
    text += "  and " + runtime::counted(changes.size() - shown, "more change") + "\n";
  return text;
}

json changes_json(const std::vector<json_change>& changes) {
  auto all = json::array();
  for (const auto& c : changes) {
    all.push_back({{"pointer", c.pointer}});
    if (c.before)
      all.back()["before"] = *c.before;
    if (c.after)
      all.back()["after"] = *c.after;
  }
  return all;
}

std::string indented_json(std::string_view text) {
  std::string out;
  std::size_t depth = 0;
  bool is_in_string = false;
  const auto end_line = [&] { out += "\n" + std::string(2 * depth, ' '); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool opens = c == '{' || c == '[';
    if (is_in_string) {
      out += c;
      if (c == '\\')
        out += text[++i];
      is_in_string = c != '"';
    } else if (opens && i + 1 < text.size() && (text[i + 1] == '}' || text[i + 1] == ']')) {
      out += {c, text[++i]};
    } else if (opens || c == ',') {
      out += c;
      depth += opens ? 1 : 0;
      end_line();
    } else if (c == '}' || c == ']') {
      --depth;
      end_line();
      out += c;
    } else {
      out += c == ':' ? ": " : std::string{c};
      is_in_string = c == '"';
    }
  }
  return out;
}

} // namespace steadfast::apps
