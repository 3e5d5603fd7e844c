#pragma once

#include "actors/protocol/speak.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace steadfast::actors {

/// Collects what follows from one message, so that everything for one receiver leaves together. A `Message` has its
/// elements in `all`.
template <class Handle, class Message>
class send_buffer {
public:
  using element = typename decltype(Message::all)::value_type;

  template <class Self>
  void add(Self* self, const Handle& to, element what) {
    auto& m = message_to(to);
    m.all.push_back(std::move(what));
    if (m.all.size() == together_max)
      tell(self, to, std::exchange(m, {}));
  }

  /// Elements for one receiver leave in the order in which they were added.
  template <class Self>
  void send_all(Self* self) {
    for (auto& [to, m] : open_)
      if (!m.all.empty())
        tell(self, to, std::move(m));
    open_.clear();
  }

private:
  static constexpr std::size_t together_max = 64; ///< so that the receiver need not wait for all of them

  Message& message_to(const Handle& to) {
    const auto found = std::find_if(open_.begin(), open_.end(), [&](const auto& x) { return x.first == to; });
    return found == open_.end() ? open_.emplace_back(to, Message{}).second : found->second;
  }

  std::vector<std::pair<Handle, Message>> open_;
};

} // namespace steadfast::actors
