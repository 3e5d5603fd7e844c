#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steadfast {

/// The process that has a store on a server, as the server names it to those who wait: "n1@10.0.0.1:7801/4711/93".
struct store_holder {
  std::string node;
  std::string address; ///< host:port where other nodes reach it; empty: nowhere
  std::int64_t process = 0;
  std::uint64_t chance = 0; ///< so that no two processes ever have the same name

  friend bool operator==(const store_holder&, const store_holder&) = default;
};

std::string to_string(const store_holder& h);
/// Nothing if the text is none.
std::optional<store_holder> parse_store_holder(std::string_view text);

} // namespace steadfast
