#include "runtime/links/greeting.hpp"

#include "workflow/text/name.hpp"

namespace steadfast::runtime {

namespace {

constexpr std::size_t protocol_size_max = 64;
constexpr unsigned char tls_handshake = 0x16;
constexpr unsigned char tls_alert = 0x15;
constexpr unsigned char tls_major = 0x03;

/// The first word; the rest stays.
std::string_view take_word(std::string_view& text) {
  const auto end = text.find(' ');
  const auto word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return word;
}

std::string claim_text(const workflow::peer_claim& c) {
  return c.protocol + " " + std::string{to_string(c.kind)} + " " + c.name;
}

std::optional<workflow::peer_claim> parse_claim(std::string_view text) {
  const auto protocol = take_word(text);
  const auto kind = workflow::parse_peer_kind(take_word(text));
  if (!workflow::is_word(protocol, protocol_size_max) || !kind || !workflow::is_name(text))
    return std::nullopt;
  return workflow::peer_claim{std::string{protocol}, *kind, std::string{text}};
}

} // namespace

std::string framed(std::string_view text) {
  std::string bytes{static_cast<char>(text.size() >> 8U), static_cast<char>(text.size() & 0xffU)};
  return bytes.append(text);
}

std::optional<std::size_t> text_size(const frame_head& head) {
  const auto size = std::size_t{head[0]} << 8U | head[1];
  return size == 0 || size > frame_text_max ? std::nullopt : std::optional{size};
}

std::string what_begins_so(const frame_head& head) {
  if (head[1] == tls_major && (head[0] == tls_handshake || head[0] == tls_alert))
    return "it has certificates, and this node has none";
  return "it does not speak as a node does";
}

std::string hello_text(const workflow::peer_claim& own) {
  return "hello " + claim_text(own);
}

std::optional<workflow::peer_claim> parse_hello(std::string_view text) {
  return take_word(text) == "hello" ? parse_claim(text) : std::nullopt;
}

std::string welcome_text(const welcome& w) {
  if (const auto* r = std::get_if<refusal>(&w))
    return "refused " + workflow::clipped(r->why, frame_text_max - std::string_view{"refused "}.size());
  return "welcome " + claim_text(std::get<workflow::peer_claim>(w));
}

std::optional<welcome> parse_welcome(std::string_view text) {
  const auto word = take_word(text);
  if (word == "refused" && workflow::is_text(text, frame_text_max))
    return refusal{std::string{text}};
  if (auto claim = word == "welcome" ? parse_claim(text) : std::nullopt)
    return *std::move(claim);
  return std::nullopt;
}

} // namespace steadfast::runtime
