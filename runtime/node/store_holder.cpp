#include "runtime/node/store_holder.hpp"

#include <charconv>

namespace steadfast {

namespace {

template <class Number>
bool parse_number(std::string_view text, Number& into) {
  const auto* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, into);
  return parsed.ec == std::errc{} && parsed.ptr == end;
}

/// What follows the last slash, which is cut off; nothing: there is none.
std::optional<std::string_view> cut_last(std::string_view& text) {
  const auto slash = text.rfind('/');
  if (slash == std::string_view::npos)
    return std::nullopt;
  const auto last = text.substr(slash + 1);
  text = text.substr(0, slash);
  return last;
}

} // namespace

std::string to_string(const store_holder& h) {
  return h.node + (h.address.empty() ? "" : "@" + h.address) + "/" + std::to_string(h.process) + "/"
         + std::to_string(h.chance);
}

std::optional<store_holder> parse_store_holder(std::string_view text) {
  store_holder h;
  const auto chance = cut_last(text);
  const auto process = cut_last(text);
  if (!chance || !process || !parse_number(*chance, h.chance) || !parse_number(*process, h.process))
    return std::nullopt;
  const auto at = text.find('@');
  h.node = text.substr(0, at);
  if (at != std::string_view::npos)
    h.address = text.substr(at + 1);
  if (h.node.empty())
    return std::nullopt;
  return h;
}

} // namespace steadfast
