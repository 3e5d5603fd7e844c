#include "client/exact_json.hpp"

#include "workflow/text/json_place.hpp"
#include "workflow/text/json_scan.hpp"
#include "workflow/text/json_text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace steadfast {

using nlohmann::json;

namespace {

json number(std::string_view text) {
  auto read = json::parse(text, nullptr, false);
  if (!read.is_discarded() && read.dump() == text)
    return read;
  return json::binary({text.begin(), text.end()});
}

/// REQUIRES: is_json(text).
json value(workflow::json_scan& in) {
  switch (in.next()) {
    case '{': {
      auto object = json::object();
      for (bool more = in.enter(); more; more = in.more()) {
        auto name = in.name();
        object[std::move(name)] = value(in);
      }
      return object;
    }
    case '[': {
      auto array = json::array();
      for (bool more = in.enter(); more; more = in.more())
        array.push_back(value(in));
      return array;
    }
    case '"': return in.string();
    case 't':
    case 'f':
    case 'n': return json::parse(in.word());
    default: return number(in.word());
  }
}

std::string plain_text(const json& j) {
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool has_text_numbers(const json& j) {
  return j.is_binary() || (j.is_structured() && std::any_of(j.begin(), j.end(), has_text_numbers));
}

void write(std::string& to, const json& j) {
  if (j.is_binary()) {
    std::copy(j.get_binary().begin(), j.get_binary().end(), std::back_inserter(to));
  } else if (!has_text_numbers(j)) {
    to += plain_text(j);
  } else if (j.is_array()) {
    for (char before = '['; const auto& element : j) {
      to += std::exchange(before, ',');
      write(to, element);
    }
    to += ']';
  } else {
    char before = '{';
    for (const auto& [name, member] : j.items()) {
      to += std::exchange(before, ',');
      to.append(plain_text(name)) += ':';
      write(to, member);
    }
    to += '}';
  }
}

} // namespace

json exact_json(std::string_view text) {
  if (!workflow::is_json(text) || !workflow::is_utf8(text))
    return json(json::value_t::discarded);
  workflow::json_scan in{text};
  return value(in);
}

std::string exact_text(const json& j) {
  std::string text;
  write(text, j);
  return text;
}

json with_doubles(json j) {
  if (j.is_binary()) {
    const std::string text{j.get_binary().begin(), j.get_binary().end()};
    auto read = json::parse(text, nullptr, false);
    return read.is_discarded() ? json(text) : read;
  }
  if (j.is_structured())
    for (auto& element : j)
      element = with_doubles(std::move(element));
  return j;
}

} // namespace steadfast
