#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace steadfast::runtime {

/// Whom a client may send messages to, by the numbers of the actors.
struct client_rules {
  std::set<std::uint64_t> receivers;
  std::uint64_t named_receiver = 0; ///< the one that CAF asks on each new connection, by its name as a number
  std::uint32_t payload_max = 16U << 20U;
};

/// Checks what a client sends, in CAF's binary protocol, before CAF reads it: CAF delivers a message to the actor whose
/// number it names, whether the sender was given its handle or not.
class frame_filter {
public:
  explicit frame_filter(client_rules rules) : rules_{std::move(rules)} {}

  /// Takes the next bytes. Returns why the client must be cut off; empty: they are all right.
  std::string why_not(std::string_view bytes);

private:
  static constexpr std::size_t head_size = 32;

  std::string why_not_head();

  client_rules rules_;
  std::array<unsigned char, head_size> head_{};
  std::size_t head_known_ = 0;
  std::uint64_t payload_left_ = 0;
};

} // namespace steadfast::runtime
