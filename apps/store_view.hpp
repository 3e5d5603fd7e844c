#pragma once

#include "runtime/node.hpp"

#include <filesystem>

namespace steadfast::apps {

/// A node in this process that shows a store, opened read-only, and does nothing else. It answers as any node does, over a
/// socket of its own; whatever would write is refused.
class store_view {
public:
  /// Throws store::store_error or node_error: there is no store, or it cannot be opened.
  explicit store_view(const std::filesystem::path& store);
  ~store_view();
  store_view(const store_view&) = delete;
  store_view& operator=(const store_view&) = delete;

  std::filesystem::path socket() const { return folder_ / "control.sock"; }

private:
  std::filesystem::path folder_; ///< of the socket: mode 0700, removed at the end
  node node_;
};

} // namespace steadfast::apps
