#include "apps/commands/stopped_store.hpp"

#include "apps/terminal/exit_code.hpp"
#include "apps/terminal/failure.hpp"
#include "runtime/configuration/config_file.hpp"
#include "runtime/node/store_holder.hpp"
#include "runtime/text/quantity.hpp"
#include "store/joined/joined_store.hpp"
#include "store/joined/partition_files.hpp"
#include "workflow/task/partition.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <thread>

namespace steadfast::apps {

namespace {

std::shared_ptr<store::local_store> open_files(const std::filesystem::path& folder, bool read_only,
                                               std::uint32_t of_new) {
  store::store_options o;
  o.path = folder;
  o.read_only = read_only;
  return store::open_store_files(o, of_new);
}

std::shared_ptr<store::local_store> open_on_server(const std::filesystem::path& config,
                                                   const std::filesystem::path& memory) {
  auto node = load_config(config);
  node.store.path = memory;
  return store::as_one(store::open_postgres_store(postgres_options_of(node, holder_of_command()),
                                                  std::chrono::steady_clock::now,
                                                  wait_for_lease(node.store_server.lease)));
}

/// As the configuration of that store says; 0: it is there already, or nothing says it.
std::uint32_t partitions_to_make(const node_choice& node, const std::filesystem::path& folder, bool read_only) {
  if (read_only || store::is_store_at(folder))
    return 0;
  const auto configured = places_of(node);
  if (absolute(configured.store) != absolute(folder) || !configured.partitions)
    return 0;
  const auto count = *configured.partitions;
  if (count < 1 || count > workflow::partitions_max)
    throw failure{wrong_config, "store.partitions must lie between 1 and " + std::to_string(workflow::partitions_max)};
  return static_cast<std::uint32_t>(count);
}

} // namespace

std::string holder_of_command() {
  return to_string(store_holder{"a command", {}, getpid(), std::random_device{}()});
}

store::wait_for_turn wait_for_lease(std::chrono::milliseconds lease) {
  const auto until = std::chrono::steady_clock::now() + lease + std::chrono::seconds{1};
  return [until, lease, was_told = false](std::chrono::milliseconds time, const store::no_turn& t) mutable {
    if (std::chrono::steady_clock::now() > until)
      throw failure{try_again,
                    t.why + ": ask that node (`-c` its configuration on its host, or `--socket`), or stop it"};
    if (!std::exchange(was_told, true))
      std::cerr << "steadfast: " << t.why << "; waiting " << runtime::span_text(lease) << " for a sign of life"
                << std::endl;
    std::this_thread::sleep_for(time);
    return true;
  };
}

stopped_store::stopped_store(const std::filesystem::path& folder, bool read_only, std::uint32_t of_new)
    : store_{open_files(folder, read_only, of_new)} {}

stopped_store::stopped_store(const std::filesystem::path& server_config)
    : memory_{std::make_unique<scratch_folder>()},
      store_{open_on_server(server_config, memory_->path())} {}

stopped_store open_stopped(const node_choice& node, const std::filesystem::path& folder, bool read_only) {
  if (!folder.empty())
    return stopped_store{folder, read_only, partitions_to_make(node, folder, read_only)};
  const auto places = places_of(node);
  if (places.server_config.empty())
    return stopped_store{places.store, read_only, partitions_to_make(node, places.store, read_only)};
  return stopped_store{places.server_config};
}

} // namespace steadfast::apps
