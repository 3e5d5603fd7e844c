#include "actors/agents/http/messages/request_text.hpp"

#include "workflow/time/time_text.hpp"

#include <openssl/evp.h>

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace steadfast::actors {

namespace {

constexpr std::size_t room_for_headers = 640; ///< of a call: more is rare

const char* action_name(workflow::attempt_action a) {
  switch (a) {
    case workflow::attempt_action::probe: return "probe";
    case workflow::attempt_action::compensate: return "undo";
    default: return "do";
  }
}

bool is_given(const http_options& o, const char* name) {
  return std::any_of(o.headers.begin(), o.headers.end(),
                     [&](const auto& h) { return strcasecmp(h.first.c_str(), name) == 0; });
}

template <class Number>
void add_number(std::string& text, std::string_view name, Number value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(name).append(": ").append(digits, end).append("\r\n");
}

void add_about_step(const call& c, std::string& text) {
  add_line(text, "Idempotency-Key", c.key);
  add_line(text, "Steadfast-Reverses", c.reverses);
  add_line(text, "Steadfast-Task", c.task_id);
  add_line(text, "Steadfast-Step", c.step);
  add_line(text, "Steadfast-Action", action_name(c.action));
  add_number(text, "Steadfast-Attempt", c.attempt);
  add_number(text, "Steadfast-Try", c.try_number);
  add_number(text, "Steadfast-Epoch", c.epoch);
  add_line(text, "Steadfast-Complete-By", workflow::utc_text(c.complete_by));
  add_line(text, "Steadfast-Token", c.token);
  add_number(text, "Steadfast-Time-Left", std::max<std::int64_t>((c.complete_by - c.began_at).count(), 0));
  add_line(text, "traceparent", c.trace);
}

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7F;
}

} // namespace

void add_line(std::string& text, std::string_view name, std::string_view value) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  if (value.find_first_not_of(" \t") == std::string_view::npos)
    return;
  text.append(name).append(": ");
  if (std::none_of(value.begin(), value.end(), is_control))
    text.append(value);
  else
    for (const char c : value)
      if (const auto byte = static_cast<unsigned char>(c); is_control(c))
        (text += '%').append({digits[byte / 16], digits[byte % 16]});
      else
        text += c;
  text.append("\r\n");
}

std::string basic_authorization(const std::string& user, const std::string& password) {
  const auto plain = user + ':' + password;
  std::string coded(4 * (plain.size() / 3 + 1) + 1, '\0'); // with the zero byte that it writes
  const auto size =
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()),
                    reinterpret_cast<const unsigned char*>(plain.data()), static_cast<int>(plain.size()));
  coded.resize(static_cast<std::size_t>(size));
  return "Basic " + coded;
}

request_text::request_text(const http_options& o, const web_url& to, call_headers headers, bool through_proxy,
                           const std::string& proxy_authorization)
    : headers_{std::move(headers)} {
  head_ = o.method + ' ' + (through_proxy ? "http://" + to.authority() : "") + to.target + " HTTP/1.1\r\n";
  if (!is_given(o, "Host"))
    add_line(head_, "Host", to.authority());
  if (!is_given(o, "Accept"))
    add_line(head_, "Accept", "*/*");
  add_line(head_, "Proxy-Authorization", proxy_authorization);
  for (const auto& [name, value] : o.headers)
    add_line(head_, name, value);
  if (!is_given(o, "Content-Type"))
    add_line(head_, "Content-Type", "application/json");
}

std::string request_text::of(const call& c) const {
  std::string text;
  text.reserve(head_.size() + room_for_headers + c.input.size());
  text = head_;
  if (headers_)
    headers_(c, [&text](std::string_view name, std::string_view value) { add_line(text, name, value); });
  else
    add_about_step(c, text);
  add_number(text, "Content-Length", c.input.size());
  return text.append("\r\n").append(c.input);
}

} // namespace steadfast::actors
