#include "runtime/toml/toml_file.hpp"

#include "runtime/text/quantity.hpp"
#include "runtime/toml/config_error.hpp"
#include "workflow/text/nearest.hpp"
#include "workflow/text/split.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace steadfast::runtime {
namespace {

constexpr std::uintmax_t file_size_max = 4 << 20;

std::string quoted_list(const std::vector<std::string_view>& names) {
  std::string text;
  for (const auto& n : names)
    text += (text.empty() ? "\"" : ", \"") + std::string{n} + "\"";
  return text;
}

std::string sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return workflow::joined(names, ", ");
}

std::string shown(const toml::node& n) {
  std::ostringstream out;
  n.visit([&out](const auto& value) {
    if constexpr (toml::is_string<decltype(value)>)
      out << '"' << value.get() << '"'; // toml++ would choose the kind of quotes by itself
    else if constexpr (toml::is_value<decltype(value)>)
      out << value;
  });
  const auto text = out.str();
  return text.empty() || text.size() > 60 ? kind_of(n) : text;
}

} // namespace

std::string kind_of(const toml::node& n) {
  switch (n.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "a list";
    case toml::node_type::string: return "a text";
    case toml::node_type::integer:
    case toml::node_type::floating_point: return "a number";
    case toml::node_type::boolean: return "true or false";
    default: return "a date or time";
  }
}

// ---- report ----

void toml_report::add(std::size_t line, const std::string& key, const std::string& what) {
  problems_.emplace_back(line, file_ + ":" + std::to_string(line) + ": " + key + (key.empty() ? "" : ": ") + what);
}

void toml_report::know(const std::string& key, bool seen) {
  known_.insert(key);
  if (seen)
    seen_.insert(key);
}

void toml_report::throw_if_any() {
  if (problems_.empty())
    return;
  std::stable_sort(problems_.begin(), problems_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> sentences;
  for (auto& p : problems_)
    sentences.push_back(std::move(p.second));
  throw config_error{std::move(sentences)};
}

// ---- files ----

toml::table parse_toml(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    throw config_error{
      {file + ":" + std::to_string(e.source().begin.line) + ": this is not TOML: " + std::string{e.description()}}};
  }
}

std::string read_text_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  std::ifstream in{file, std::ios::binary};
  if (error || !in)
    throw config_error{
      {file.string() + ": cannot be read: " + (error ? error.message() : std::string{"permission denied"})}};
  if (size > file_size_max)
    throw config_error{{file.string() + ": is larger than " + size_text(file_size_max)}};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  return text;
}

// ---- one table ----

const toml::node* toml_section::take(std::string_view key) {
  const auto* found = table_->get(key);
  known_.emplace_back(key);
  report_->know(place_ + std::string{key}, found != nullptr);
  return found;
}

void toml_section::complain(std::string_view key, const std::string& what) {
  const auto* found = table_->get(key);
  report_->add(found ? found->source().begin.line : line(), place_of(key), what);
}

void toml_section::complain(const std::string& what) {
  report_->add(line(), shown_.substr(0, shown_.find_last_not_of(".: ") + 1), what);
}

void toml_section::end() {
  for (const auto& [key, value] : *table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) != known_.end())
      continue;
    const auto meant = workflow::nearest(key.str(), known_);
    report_->add(key.source().begin.line, place_of(key.str()),
                 "unknown key; " + (meant ? "did you mean \"" + *meant + "\"?" : "known are " + sorted(known_)));
  }
}

void toml_section::read(std::string_view key, std::string& into) {
  const auto* n = take(key);
  if (n == nullptr)
    return;
  if (const auto text = n->value_exact<std::string>())
    into = *text;
  else
    complain(key, "must be a text in quotes, not " + shown(*n));
}

void toml_section::read(std::string_view key, bool& into) {
  const auto* n = take(key);
  if (n == nullptr)
    return;
  if (const auto value = n->value_exact<bool>())
    into = *value;
  else
    complain(key, "must be true or false, not " + shown(*n));
}

void toml_section::read(std::string_view key, workflow::span& into) {
  const auto* n = take(key);
  if (n == nullptr)
    return;
  const auto text = n->value_exact<std::string>();
  if (const auto span = text ? parse_span(*text) : std::nullopt)
    into = *span;
  else
    complain(key, shown(*n) + " is not a duration: write " + std::string{span_rule} + ", at most ten years");
}

void toml_section::read(std::string_view key, std::filesystem::path& into) {
  auto text = into.string();
  read(key, text);
  into = text;
}

void toml_section::read_size(std::string_view key, std::uint64_t& into) {
  const auto* n = take(key);
  if (n == nullptr)
    return;
  const auto text = n->value_exact<std::string>();
  if (const auto size = text ? parse_size(*text) : std::nullopt)
    into = *size;
  else
    complain(key, shown(*n) + " is not a size: write " + std::string{size_rule});
}

void toml_section::read_one_of(std::string_view key, std::string& into, const std::vector<std::string_view>& allowed) {
  const auto* n = take(key);
  if (n == nullptr)
    return;
  const auto text = n->value_exact<std::string>();
  if (text && std::find(allowed.begin(), allowed.end(), *text) != allowed.end())
    into = *text;
  else
    complain(key, shown(*n) + " is not allowed; one of " + quoted_list(allowed));
}

void toml_section::read_share(std::string_view key, std::uint32_t& percent, double min, double max) {
  const auto* n = take(key);
  if (n == nullptr)
    return;
  const auto number = n->is_number() ? n->value<double>() : std::nullopt;
  if (number && *number >= min && *number <= max)
    percent = static_cast<std::uint32_t>(std::lround(*number * 100));
  else
    complain(key, shown(*n) + " is not allowed: a number from " + std::to_string(std::lround(min)) + " to "
                    + std::to_string(std::lround(max)));
}

std::uint64_t toml_section::count(std::string_view key, std::uint64_t now, std::uint64_t min, std::uint64_t max) {
  const auto* n = take(key);
  if (n == nullptr)
    return now;
  const auto number = n->value_exact<std::int64_t>();
  if (number && *number >= 0 && static_cast<std::uint64_t>(*number) >= min
      && static_cast<std::uint64_t>(*number) <= max)
    return static_cast<std::uint64_t>(*number);
  complain(key,
           shown(*n) + " is not allowed: a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return now;
}

template <class T, class Read>
void toml_section::read_list(std::string_view key, std::vector<T>& into, std::string_view of_what, Read read_one) {
  const auto* n = take(key);
  if (n == nullptr)
    return;
  const auto* list = n->as_array();
  std::vector<T> values;
  if (list != nullptr)
    for (const auto& item : *list)
      if (const std::optional<T> value = read_one(item))
        values.push_back(*value);
  if (list == nullptr || values.size() != list->size())
    complain(key, "must be a list of " + std::string{of_what});
  else
    into = std::move(values);
}

void toml_section::read(std::string_view key, std::vector<std::string>& into) {
  read_list(key, into, "texts in quotes", [](const toml::node& n) { return n.value_exact<std::string>(); });
}

void toml_section::read(std::string_view key, std::vector<std::int32_t>& into) {
  read_list(key, into, "whole numbers", [](const toml::node& n) -> std::optional<std::int32_t> {
    const auto number = n.value_exact<std::int64_t>();
    if (!number || *number < std::numeric_limits<std::int32_t>::min()
        || *number > std::numeric_limits<std::int32_t>::max())
      return std::nullopt;
    return static_cast<std::int32_t>(*number);
  });
}

void toml_section::read(std::string_view key, std::map<std::string, std::string>& into,
                        std::map<std::string, secret>& secrets) {
  const auto* n = take(key);
  if (n == nullptr)
    return;
  if (!n->is_table())
    return complain(key, "must be a table of texts, such as { Name = \"value\" }");
  for (const auto& [name, value] : *n->as_table()) {
    if (const auto text = value.value_exact<std::string>())
      into[std::string{name.str()}] = *text;
    else if (const auto* where = value.as_table()) {
      if (auto found = read_secret(*this, std::string{key} + "." + std::string{name.str()}, *where))
        secrets[std::string{name.str()}] = std::move(*found);
    } else
      report_->add(value.source().begin.line, place_of(key) + "." + std::string{name.str()},
                   "must be a text, { env = \"NAME\" } or { file = \"path\" }");
  }
}

toml_section toml_section::within(const toml::table& t, std::string_view key) const {
  return {t, place_ + std::string{key} + ".", place_of(key) + ".", *report_};
}

std::optional<toml_section> toml_section::section(std::string_view key) {
  const auto* n = take(key);
  if (n == nullptr)
    return std::nullopt;
  if (const auto* t = n->as_table())
    return within(*t, key);
  complain(key, "must be a table, not " + kind_of(*n));
  return std::nullopt;
}

std::vector<toml_section> toml_section::sections(std::string_view key) {
  std::vector<toml_section> found;
  const auto* n = take(key);
  if (n == nullptr)
    return found;
  const auto* list = n->as_array();
  if (list == nullptr || !std::all_of(list->begin(), list->end(), [](const toml::node& x) { return x.is_table(); })) {
    complain(key, "must be a list of tables: write [[" + place_ + std::string{key} + "]] above each");
    return found;
  }
  for (const auto& item : *list)
    found.push_back(within(*item.as_table(), key));
  return found;
}

} // namespace steadfast::runtime
