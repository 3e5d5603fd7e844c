#include "examples/services/requests/call.hpp"

#include "examples/services/requests/hash.hpp"

#include <charconv>

namespace services {

namespace {

bool read_number(std::uint64_t& into, const std::string& text) {
  if (text.empty())
    return true;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, into);
  return read.ec == std::errc{} && read.ptr == end;
}

/// The key of the effect, when only the key of the undo or of the probe was sent.
std::string without_suffix(const std::string& key, std::string_view suffix) {
  return key.ends_with(suffix) ? key.substr(0, key.size() - suffix.size()) : std::string{};
}

std::string effect_key(const call& c, const std::string& header) {
  if (c.action == action::perform)
    return c.key;
  if (!header.empty())
    return header;
  return without_suffix(c.key, c.action == action::undo ? "/undo" : "/probe");
}

std::string read_numbers(call& into, const header_reader& header) {
  if (!read_number(into.epoch, header("Steadfast-Epoch")))
    return "header Steadfast-Epoch must be a number";
  if (!read_number(into.attempt, header("Steadfast-Attempt")))
    return "header Steadfast-Attempt must be a number";
  if (!read_number(into.attempt_try, header("Steadfast-Try")))
    return "header Steadfast-Try must be a number";
  if (!read_number(into.time_left_ms, header("Steadfast-Time-Left")))
    return "header Steadfast-Time-Left must be a number of milliseconds";
  return {};
}

} // namespace

std::string_view to_string(action a) {
  switch (a) {
    case action::perform: return "do";
    case action::undo: return "undo";
    case action::probe: return "probe";
  }
  return "invalid";
}

std::string read_call(call& into, action what, const header_reader& header, const std::string& body) {
  into.action = what;
  into.key = header("Idempotency-Key");
  if (into.key.empty())
    return "header Idempotency-Key is missing";
  into.reverses = effect_key(into, header("Steadfast-Reverses"));
  if (into.reverses.empty())
    return "header Steadfast-Reverses is missing, so it is not known which effect is meant";
  into.task = header("Steadfast-Task");
  into.step = header("Steadfast-Step");
  into.token = header("Steadfast-Token");
  into.body = body.empty() ? json::object() : json::parse(body, nullptr, false);
  if (!into.body.is_object())
    return "the body must be a JSON object";
  into.args = hash_text(into.body.dump(-1, ' ', false, json::error_handler_t::replace));
  return read_numbers(into, header);
}

} // namespace services
