#pragma once

#include "runtime/configuration/node_options.hpp"
#include "store/contract/local_store.hpp"
#include "workflow/task/partition.hpp"

#include <functional>
#include <memory>
#include <string>

namespace steadfast {

/// Makes a store of one, or of one of its partitions.
using store_wrapper = std::function<std::shared_ptr<store::local_store>(std::shared_ptr<store::local_store>)>;

/// The store of a node, in files or on a server: a joined_store if it has several partitions. `wait` is asked between
/// two looks while another process has the one on the server. Null: it was told not to wait any longer. Throws
/// node_error.
std::shared_ptr<store::local_store> open_store(const node_options& o, const store::wait_for_turn& wait,
                                               const store_wrapper& wrap);

/// Definitions are kept for ever, under their version: changing one without raising it is a mistake. If a file was
/// changed, its tasks follow the stored definition; if a program was changed, its node does not start: node_error.
/// Returns why the store did not take them now, or cannot tell whether it did: the same again does no harm; empty: it
/// did. Throws a fatal store_error.
std::string register_workflows(store::state_store& store, const node_options& o);

/// Of those that a file no longer has the log tells: they go on until a person removes them. Likewise. `which`: of what
/// the store is a partition, those that are in it.
std::string register_schedules(store::state_store& store, const node_options& o, const workflow::partition& which = {});

/// The process, as a server tells it to those who wait for what it has: no other one is ever called so.
std::string holder_name_of(const node_options& o);

} // namespace steadfast
