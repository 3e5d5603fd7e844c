#include "examples/checker/reading/json_lines.hpp"

#include "examples/checker/reading/utc.hpp"

namespace checker {

namespace {

using simdjson::dom::element;

simdjson::padded_string contents_of(const std::string& path) {
  simdjson::padded_string bytes;
  if (simdjson::padded_string::load(path).get(bytes) != simdjson::SUCCESS)
    throw unusable{path + ": cannot be read"};
  return bytes;
}

} // namespace

void json_line::complain(const std::string& what) const {
  throw unusable{where_ + ": " + what};
}

std::string_view json_line::text(const char* field) const {
  std::string_view value;
  if (fields_[field].get(value) != simdjson::SUCCESS)
    complain("field `" + std::string{field} + "` must be a text");
  return value;
}

std::string_view json_line::text_or_empty(const char* field) const {
  element value;
  if (fields_[field].get(value) != simdjson::SUCCESS || value.is_null())
    return {};
  return text(field);
}

std::string_view json_line::text_if_any(const char* field) const {
  std::string_view value;
  return fields_[field].get(value) == simdjson::SUCCESS ? value : std::string_view{};
}

std::uint64_t json_line::number(const char* field) const {
  std::uint64_t value = 0;
  if (fields_[field].get(value) != simdjson::SUCCESS)
    complain("field `" + std::string{field} + "` must be a whole number from 0");
  return value;
}

std::uint64_t json_line::number_or_zero(const char* field) const {
  element value;
  if (fields_[field].get(value) != simdjson::SUCCESS || value.is_null())
    return 0;
  return number(field);
}

bool json_line::has(const char* field) const {
  element value;
  return fields_[field].get(value) == simdjson::SUCCESS && !value.is_null();
}

bool json_line::flag(const char* field) const {
  bool value = false;
  if (fields_[field].get(value) != simdjson::SUCCESS)
    complain("field `" + std::string{field} + "` must be true or false");
  return value;
}

std::string json_line::json_or_empty(const char* field) const {
  element value;
  if (fields_[field].get(value) != simdjson::SUCCESS || value.is_null())
    return {};
  return simdjson::minify(value);
}

bool json_line::flag_or_false(const char* field) const {
  element value;
  return fields_[field].get(value) == simdjson::SUCCESS && flag(field);
}

std::optional<json_line> json_line::object(const char* field) const {
  simdjson::dom::object inner;
  if (fields_[field].get(inner) != simdjson::SUCCESS)
    return std::nullopt;
  return json_line{inner, where_};
}

simdjson::dom::array json_line::list_or_empty(const char* field) const {
  static simdjson::dom::parser parser;
  static const simdjson::dom::array empty = parser.parse(std::string_view{"[]"}).get_array().value();
  element found;
  if (fields_[field].get(found) != simdjson::SUCCESS || found.is_null())
    return empty;
  simdjson::dom::array value;
  if (found.get(value) != simdjson::SUCCESS)
    complain("field `" + std::string{field} + "` must be a list");
  return value;
}

bool json_line::moment(const char* field, std::int64_t& into) const {
  element value;
  if (fields_[field].get(value) != simdjson::SUCCESS || value.is_null())
    return false;
  if (value.get(into) == simdjson::SUCCESS)
    return true;
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS)
    complain("field `" + std::string{field} + "` must be a moment");
  if (text.empty())
    return false;
  if (!read_utc(text, into))
    complain("field `" + std::string{field} + "` must be a moment such as 2026-01-31T12:00:00.000Z");
  return true;
}

json_line json_line::inside(element e) const {
  simdjson::dom::object fields;
  if (e.get(fields) != simdjson::SUCCESS)
    complain("a list holds something that is no object");
  return {fields, where_};
}

void each_json_line(const std::string& path, bool may_be_torn, const std::function<void(const json_line&)>& visit) {
  const auto bytes = contents_of(path);
  const std::string_view all{bytes};
  simdjson::dom::parser parser;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    ++number;
    const auto newline = all.find('\n', begin);
    const auto end = newline == std::string_view::npos ? all.size() : newline;
    simdjson::dom::object fields;
    const bool is_blank = all.substr(begin, end - begin).find_first_not_of(" \t\r") == std::string_view::npos;
    // What follows the line inside the buffer, and its padding, is readable: no copy is needed.
    const auto parsed = is_blank ? simdjson::SUCCESS : parser.parse(all.data() + begin, end - begin, false).get(fields);
    const bool is_torn = newline == std::string_view::npos && may_be_torn;
    if (parsed != simdjson::SUCCESS && !is_torn)
      throw unusable{path + ":" + std::to_string(number) + ": is no JSON object"};
    if (parsed == simdjson::SUCCESS && !is_blank)
      visit(json_line{fields, path + ":" + std::to_string(number)});
    begin = end + 1;
  }
}

} // namespace checker
