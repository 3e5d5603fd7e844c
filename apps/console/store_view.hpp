#pragma once

#include "apps/command_line/scratch_folder.hpp"
#include "runtime/node/node.hpp"

#include <filesystem>

namespace steadfast::apps {

/// A node in this process that shows a store, opened read-only, and does nothing else. It answers as any node does,
/// over a socket of its own; whatever would write is refused.
class store_view {
public:
  /// Throws store::store_error or node_error: there is no store, or it cannot be opened.
  explicit store_view(const std::filesystem::path& store);

  std::filesystem::path socket() const { return folder_.path() / "control.sock"; }

private:
  scratch_folder folder_; ///< of the socket
  assembled_node node_;
};

} // namespace steadfast::apps
