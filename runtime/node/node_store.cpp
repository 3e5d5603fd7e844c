#include "runtime/node/node_store.hpp"

#include "runtime/logging/log.hpp"
#include "runtime/node/store_holder.hpp"
#include "steadfast/node_error.hpp"
#include "store/joined/joined_store.hpp"
#include "store/joined/partition_files.hpp"
#include "workflow/text/split.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace steadfast {

namespace {

/// 0 is none.
std::uint64_t number_by_chance() {
  std::random_device chance;
  for (;;)
    if (const auto number = std::uint64_t{chance()} << 32 | chance(); number != 0)
      return number;
}

/// Throws node_error.
std::shared_ptr<store::local_store> as_one(std::vector<std::shared_ptr<store::local_store>> all,
                                           const node_options& node, const store_wrapper& wrap) {
  if (all.empty()) // it was given up
    return nullptr;
  if (const auto wrong = partition_problems(node, static_cast<std::uint32_t>(all.size())); !wrong.empty())
    throw node_error{workflow::joined(wrong, "; ")};
  for (auto& p : all)
    if (wrap)
      p = wrap(std::move(p));
  return store::as_one(std::move(all));
}

std::shared_ptr<store::local_store> open_files(const node_options& node, const store_wrapper& wrap) {
  auto o = node.store;
  o.journal_name = number_by_chance();
  o.epochs_from = store::epochs_at(static_cast<std::uint64_t>(std::time(nullptr)));
  try {
    return as_one(store::open_partitions(o, node.partitions), node, wrap);
  } catch (const store::store_error& e) {
    throw node_error{e.what()};
  }
}

} // namespace

std::shared_ptr<store::local_store> open_store(const node_options& o, const store::wait_for_turn& wait,
                                               const store_wrapper& wrap) {
  if (!o.store_server.is_used())
    return open_files(o, wrap);
  try {
    const auto there = postgres_options_of(o, holder_name_of(o));
    return as_one(store::open_postgres_store(there, std::chrono::steady_clock::now, wait), o, wrap);
  } catch (const store::store_error& e) {
    throw node_error{e.what()};
  }
}

std::string register_workflows(store::state_store& store, const node_options& o) {
  const auto now = std::chrono::floor<workflow::span>(std::chrono::system_clock::now());
  std::vector<store::write> batch;
  batch.reserve(o.workflows.size());
  for (const auto& d : o.workflows) {
    const auto file = o.workflow_files.find({d.name, d.version});
    batch.emplace_back(
      store::register_definition{d, file == o.workflow_files.end() ? std::string{} : file->second.string(), now});
  }
  if (batch.empty())
    return {};
  std::vector<store::outcome> outcomes;
  try {
    outcomes = store.commit(batch);
  } catch (const store::store_error& e) {
    if (e.is_fatal())
      throw;
    return e.what();
  }
  if (outcomes.front().result == store::write_status::unknown_outcome)
    return outcomes.front().why;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].result == store::write_status::applied)
      continue;
    const auto& w = std::get<store::register_definition>(batch[i]);
    const auto which = "workflow `" + w.what.name + "` version " + std::to_string(w.what.version);
    if (w.file.empty())
      throw node_error{which + " is stored with different content: " + outcomes[i].why + "; raise its version"};
    log_line("warning", w.file + " differs from what is stored as " + which
                          + ", which the node follows: raise the version in the file, or revert the change");
  }
  return {};
}

std::string holder_name_of(const node_options& o) {
  return to_string(store_holder{o.name, o.cluster.address(), getpid(), number_by_chance()});
}

std::string register_schedules(store::state_store& store, const node_options& o, const workflow::partition& which) {
  const auto now = std::chrono::floor<workflow::span>(std::chrono::system_clock::now());
  try {
    std::set<std::string> names;
    for (const auto& s : o.schedules) {
      names.insert(s.what.name);
      if (workflow::partition_of(s.what.name, which.count) != which.index)
        continue;
      const auto said = store.commit_one(store::put_schedule{s.what, s.file.string(), now});
      if (said.result == store::write_status::unknown_outcome)
        return said.why;
      if (said.result != store::write_status::applied)
        log_line("warning", s.file.string() + ": " + said.why);
    }
    constexpr std::size_t page = 1000;
    std::string after;
    for (auto some = store.schedules(after, page); !some.empty(); some = store.schedules(after, page))
      for (const auto& s : some) {
        after = s.what.name;
        if (!s.file.empty() && !names.contains(s.what.name))
          log_line("warning",
                   "schedule `" + s.what.name + "`, from " + s.file
                     + ", is no longer in any file of this node, but keeps running: `steadfast schedule remove "
                     + s.what.name + "` ends it");
      }
    return {};
  } catch (const store::store_error& e) {
    if (e.is_fatal())
      throw;
    return e.what();
  }
}

} // namespace steadfast
