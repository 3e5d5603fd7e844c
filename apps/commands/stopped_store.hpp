#pragma once

#include "apps/command_line/node_access.hpp"
#include "apps/command_line/scratch_folder.hpp"
#include "store/contract/local_store.hpp"
#include "store/partitions/postgres_store.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace steadfast::apps {

/// Who has a store on a server while a command has it.
std::string holder_of_command();
/// Waits for a node that may have died, and says so; throws failure (try_again) when it lives.
store::wait_for_turn wait_for_lease(std::chrono::milliseconds lease);

/// A store that a command opens itself, since no node runs on it: in files, or on the server of a configuration.
class stopped_store {
public:
  /// In files. Read-only, a node may run on them. `of_new`: the partitions of a store that is not there yet; 0: one.
  /// Throws store::store_error.
  stopped_store(const std::filesystem::path& folder, bool read_only, std::uint32_t of_new = 0);
  /// Waits up to the lease for a node that may have died, and says so. Throws failure: try_again when one has the store
  /// still; store::store_error, config_error.
  explicit stopped_store(const std::filesystem::path& server_config);

  store::local_store* operator->() const { return store_.get(); }
  store::local_store& operator*() const { return *store_; }

private:
  std::unique_ptr<scratch_folder> memory_; ///< of a store on a server
  std::shared_ptr<store::local_store> store_;
};

/// As the options say; `folder`: of the store, if they name one. `read_only` counts for a store in files.
stopped_store open_stopped(const node_choice& node, const std::filesystem::path& folder, bool read_only);

} // namespace steadfast::apps
