#pragma once

#include "workflow/supervision/peer_claim.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

// The first words on a connection. The side that dialed says what it is; the other side says what it is, or why it
// refuses. Each is a frame: its length in two bytes, the higher one first, then text. What follows is CAF's.

namespace steadfast::runtime {

inline constexpr std::size_t frame_head_size = 2;
inline constexpr std::size_t frame_text_max = 512;

using frame_head = std::array<unsigned char, frame_head_size>;

/// REQUIRES: the text has at most frame_text_max bytes.
std::string framed(std::string_view text);
/// How many bytes of text follow; nothing if it is not the head of a frame.
std::optional<std::size_t> text_size(const frame_head& head);
/// What begins like this, if it is not the head of a frame: "it speaks TLS".
std::string what_begins_so(const frame_head& head);

struct refusal {
  std::string why; ///< about the side that dialed, as "it"
};
using welcome = std::variant<workflow::peer_claim, refusal>;

/// "hello steadfast-5 node b"
std::string hello_text(const workflow::peer_claim& own);
std::optional<workflow::peer_claim> parse_hello(std::string_view text);

/// "welcome steadfast-5 store a" or "refused it speaks ..."
std::string welcome_text(const welcome& w);
std::optional<welcome> parse_welcome(std::string_view text);

} // namespace steadfast::runtime
