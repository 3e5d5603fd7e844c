#include "runtime/links/frame_filter.hpp"

#include <caf/io/basp/header.hpp>

#include <algorithm>

namespace steadfast::runtime {

namespace {

namespace basp = caf::io::basp;

constexpr std::size_t flags_at = 3;
constexpr std::size_t payload_size_at = 4;
constexpr std::size_t receiver_at = 24;

template <class Number>
Number number_at(const unsigned char* bytes) {
  Number n = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    n = static_cast<Number>(n << 8U | bytes[i]);
  return n;
}

} // namespace

std::string frame_filter::why_not(std::string_view bytes) {
  static_assert(basp::header_size == head_size);
  while (!bytes.empty()) {
    if (payload_left_ > 0) {
      const auto passed = std::min<std::uint64_t>(payload_left_, bytes.size());
      payload_left_ -= passed;
      bytes.remove_prefix(passed);
      continue;
    }
    head_[head_known_++] = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (head_known_ < head_size)
      continue;
    head_known_ = 0;
    if (auto why = why_not_head(); !why.empty())
      return why;
    payload_left_ = number_at<std::uint32_t>(head_.data() + payload_size_at);
  }
  return {};
}

std::string frame_filter::why_not_head() {
  if (number_at<std::uint32_t>(head_.data() + payload_size_at) > rules_.payload_max)
    return "it sent a message of more than " + std::to_string(rules_.payload_max) + " bytes";
  const auto receiver = number_at<std::uint64_t>(head_.data() + receiver_at);
  const bool is_named = (head_[flags_at] & basp::header::named_receiver_flag) != 0;
  switch (static_cast<basp::message_type>(head_[0])) {
    case basp::message_type::client_handshake:
    case basp::message_type::monitor_message: // CAF's, of whoever has answered
    case basp::message_type::down_message:
    case basp::message_type::heartbeat: return {};
    case basp::message_type::direct_message:
      if (is_named ? receiver == rules_.named_receiver : rules_.receivers.contains(receiver))
        return {};
      return "it sent a message to an actor that is not for clients";
    default: return "it sent what a client does not send";
  }
}

} // namespace steadfast::runtime
