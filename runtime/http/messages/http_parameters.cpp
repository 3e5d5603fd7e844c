#include "runtime/http/messages/http_parameters.hpp"

#include "api/error.hpp"
#include "api/names.hpp"
#include "client/exact_json.hpp"
#include "runtime/text/quantity.hpp"
#include "workflow/text/json_text.hpp"
#include "workflow/text/split.hpp"

#include <charconv>
#include <optional>

namespace steadfast::runtime {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw api::error{api::error::invalid_params, "`" + name + "` " + why, {}, name};
}

template <class T>
std::optional<json> whole(const std::string& text) {
  T n{};
  const auto* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, n);
  return error == std::errc{} && at == end ? std::optional<json>{n} : std::nullopt;
}

json number_of(const std::string& name, const std::string& text) {
  if (auto n = whole<std::uint64_t>(text))
    return *n;
  if (auto n = whole<std::int64_t>(text))
    return *n;
  refuse(name, "must be a whole number");
}

bool flag_of(const std::string& name, const std::string& text) {
  if (text.empty() || text == "true" || text == "1")
    return true;
  if (text != "false" && text != "0")
    refuse(name, "must be true or false");
  return false;
}

json texts_of(const std::string& text) {
  json all = json::array();
  for (const auto part : workflow::split(text, ','))
    all.push_back(std::string{part});
  return all;
}

/// Of a parameter that is unknown, the text: the method refuses it by its name.
json value_of(const api::parameter* p, const std::string& name, const std::string& text) {
  if (p == nullptr)
    return text;
  switch (p->is) {
    case api::kind::number:
    case api::kind::moment: return number_of(name, text);
    case api::kind::flag: return flag_of(name, text);
    case api::kind::texts: return texts_of(text);
    case api::kind::place: {
      auto n = whole<std::uint64_t>(text);
      return n ? *n : json(text);
    }
    default: return text;
  }
}

constexpr const char* last_event_id = "Last-Event-ID";

[[noreturn]] void refuse_event_id() {
  throw api::error{api::error::invalid_params, "Last-Event-ID must be the id of an event", {}, last_event_id};
}

constexpr workflow::span wait_max{60'000};

constexpr std::string_view place_prefix = "payload:";

/// Where something is nested deeper than that: the first byte of it. Brackets in strings do not count.
std::optional<std::size_t> too_deep_at(std::string_view text) {
  std::size_t depth = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_string) {
      i += c == '\\' ? 1 : 0;
      is_string = c != '"';
      continue;
    }
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    const bool closes = c == '}' || c == ']';
    if (depth > workflow::json_depth_max && !is_space && !closes)
      return i;
    is_string = c == '"';
    depth += c == '{' || c == '[' ? 1 : 0;
    depth -= closes && depth > 0 ? 1 : 0;
  }
  return std::nullopt;
}

/// REQUIRES: it is no JSON that this node takes.
std::string why_no_json(const std::string& text) {
  const auto deep = too_deep_at(text);
  const auto before = std::string_view{text}.substr(0, deep.value_or(text.size()));
  try {
    static_cast<void>(json::parse(before, [](int, json::parse_event_t, const json&) { return false; }));
  } catch (const json::parse_error& e) {
    if (e.byte <= before.size())
      return "the body is not JSON: what ends at byte " + std::to_string(e.byte) + " is unexpected";
    if (!deep)
      return "the body is not JSON: it ends too soon, after byte " + std::to_string(text.size());
  } catch (const json::exception&) { // of a number too large for a double, after which it does not read on
  }
  if (deep)
    return "the body is nested deeper than " + std::to_string(workflow::json_depth_max) + ", from byte "
           + std::to_string(*deep + 1) + " on";
  return "the body is not JSON in UTF-8";
}

/// Who sends one and does not say so is told how.
void expect_no_file(const std::string& body) {
  if (!body.empty() && exact_json(body).is_discarded())
    throw api::error{api::error::invalid_params,
                     why_no_json(body) + "; send a file with the header `Content-Type: application/toml`",
                     {},
                     "Content-Type"};
}

} // namespace

json json_of_body(const std::string& body) {
  auto read = exact_json(body);
  if (read.is_discarded())
    throw api::error{api::error::invalid_params, why_no_json(body)};
  return read;
}

json parameters_of(const api::method& m, const std::map<std::string, std::string>& named, const http_target& target) {
  json params = json::object();
  for (const auto& [name, text] : target.query)
    if (name.starts_with(place_prefix))
      params["payload"][name.substr(place_prefix.size())] = text;
    else
      params[name] = value_of(m.find(name), name, text);
  for (const auto& [name, text] : named)
    params[name] = value_of(m.find(name), name, text);
  return params;
}

json parameters_of(const api::method& m, const std::map<std::string, std::string>& named, const std::string& body) {
  auto params = body.empty() ? json::object() : json_of_body(body);
  if (!params.is_object())
    throw api::error{api::error::invalid_params, "the body must be a JSON object"};
  for (const auto& [name, text] : named) {
    auto value = value_of(m.find(name), name, text);
    if (params.contains(name) && params[name] != value)
      refuse(name, "is another one in the path");
    params[name] = std::move(value);
  }
  return params;
}

void expect_no_query(const http_target& target) {
  if (!target.query.empty())
    refuse(target.query.begin()->first, "is not known here");
}

event_filter event_filter_of(const http_target& target) {
  event_filter f;
  for (const auto& [name, value] : target.query) {
    if (name != "workflow" && name != "kinds")
      throw api::error{api::error::invalid_params, "events are not filtered by `" + name + "`", {}, name};
    auto& names = name == "workflow" ? f.workflows : f.kinds;
    for (const auto part : workflow::split(value, ','))
      names.emplace_back(part);
  }
  for (const auto& k : f.kinds)
    if (k != "submitted" && k != "changed" && k != "ended")
      throw api::error{api::error::invalid_params, "`kinds` may be submitted, changed and ended", {}, "kinds"};
  return f;
}

std::uint64_t revision_seen(const http_request& r) {
  const std::string last{r.header(last_event_id)};
  const auto n = last.empty() ? json(0U) : whole<std::uint64_t>(last).value_or(json{});
  if (n.is_null())
    refuse_event_id();
  return n;
}

std::optional<event_position> position_seen(const http_request& r) {
  const auto last = r.header(last_event_id);
  if (last.empty())
    return std::nullopt;
  auto seen = parse_event_position(last);
  if (!seen)
    refuse_event_id();
  return seen;
}

std::optional<std::chrono::milliseconds> waited_for(const http_target& target) {
  const auto text = target.find("wait");
  if (!text)
    return std::nullopt;
  const auto span = parse_span(*text);
  if (!span || *span > wait_max)
    throw api::error{api::error::invalid_params, "`wait` must be a duration of at most 60s, such as 30s", {}, "wait"};
  return *span;
}

json parameters_asked(const http_request& r, const http_target& target, api::verb verb, const api::method& m,
                      const std::map<std::string, std::string>& named) {
  const auto& body = r.message.body();
  auto asked = target;
  std::erase_if(asked.query, [](const auto& x) { return x.first == "wait"; });
  auto in_query = parameters_of(m, named, asked);
  if (verb == api::verb::get)
    return in_query;
  if (m.name == api::workflow_register || m.name == api::schedule_put) {
    if (r.header(boost::beast::http::field::content_type).starts_with("application/toml")) {
      in_query["text"] = body; // it is the file
      return in_query;
    }
    expect_no_file(body);
  }
  auto params = parameters_of(m, named, body);
  for (const auto& [name, value] : in_query.items())
    if (const auto [there, is_new] = params.emplace(name, value); !is_new && *there != value)
      refuse(name, "is another one in the query");
  return params;
}

} // namespace steadfast::runtime
