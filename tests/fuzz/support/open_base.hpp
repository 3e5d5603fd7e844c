#pragma once

#include "store/contract/state_store.hpp"
#include "store/engine/write_batch.hpp"
#include "store/lmdb/lmdb.hpp"
#include "store/lmdb/schema.hpp"
#include "store/records/stored.hpp"

#include <vector>

namespace steadfast::fuzz {

/// The data file of base_store(), open as long as the process lives. What is done in a transaction that is not
/// committed is undone with it: an input costs no file, no sync and no process.
struct open_base {
  open_base();

  store::store_options options;
  store::lmdb::environment env;
  store::tables in;
};
open_base& opened_base();

/// As the engine commits: batches of writes on that store, each on what those before left. Nothing of it stays.
class trial {
public:
  trial();

  std::vector<store::outcome> commit(const std::vector<store::write>& batch);
  /// Empty: nothing is wrong with what is stored now. Else one thing that is.
  std::string fault();

private:
  store::lmdb::transaction txn_;
  store::committed committed_;
  store::id_filter moved_ids_;
  store::known_tasks known_;
};

} // namespace steadfast::fuzz
