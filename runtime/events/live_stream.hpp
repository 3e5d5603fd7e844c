#pragma once

#include <functional>
#include <memory>
#include <string>

namespace steadfast::runtime {

/// What is sent for as long as a client listens: server-sent events.
struct live_stream {
  struct piece {
    std::string text{};    ///< empty: nothing new
    bool is_last = false;  ///< the connection is closed after it
    bool has_more = false; ///< the next look gives something at once
  };
  using reply = std::function<void(piece)>;

  /// Replies with what is new since the last look, once, from any thread. Called again when that was sent.
  std::function<void(const reply& r)> look;
  /// From now on `wake` is called, from any thread, when a look may give something; until what it returns is gone.
  std::function<std::shared_ptr<void>(std::function<void()> wake)> listen;
  /// Whether it is woken by each change; else it must be looked at again and again.
  std::function<bool()> is_woken;
  /// What is sent when there has been nothing for a while, so that both ends learn whether the other is still there.
  std::function<std::string()> sign_of_life = [] { return std::string{": still here\n\n"}; };
};

/// Its id is what a client that comes back has seen. Data has no ends of lines: JSON text has none.
inline std::string event_text(const std::string& id, const std::string& kind, const std::string& data) {
  return "id: " + id + "\nevent: " + kind + "\ndata: " + data + "\n\n";
}

} // namespace steadfast::runtime
