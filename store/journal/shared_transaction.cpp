#include "store/journal/shared_transaction.hpp"

#include "store/contract/state_store.hpp"
#include "store/journal/unsaved.hpp"

#include <algorithm>
#include <utility>

namespace steadfast::store {

shared_transaction::shared_transaction(lmdb::environment& env, const tables& in, const store_directory& directory,
                                       const store_options& options, outside_log* outside)
    : env_{env},
      in_{in},
      directory_{directory},
      options_{options},
      outside_{outside},
      log_{outside},
      changes_{in} {}

void shared_transaction::share(std::function<void()> wake, std::uint64_t name) {
  if (log_ == nullptr) {
    if (name == 0)
      throw store_error{"no name was handed in for it", false};
    journal made{directory_, options_.journal_max, name, options_.watch};
    auto txn = lmdb::transaction::writing(env_);
    put_used_journal(txn, {name, true});
    txn.commit();
    log_ = &journal_.emplace(std::move(made));
  }
  wake_ = std::move(wake);
  const std::lock_guard lock{mutex_};
  is_over_ = false;
}

lmdb::transaction& shared_transaction::begin() {
  if (!txn_ && !is_saved_)
    save();
  if (!txn_) {
    txn_.reset(new lmdb::transaction{lmdb::transaction::writing(env_)});
    thread_ = std::this_thread::get_id();
    round_ = {};
    if (log_ != nullptr)
      log_->begin(env_.last_transaction());
  }
  changes_.clear();
  txn_->tell(changes());
  return *txn_;
}

bool shared_transaction::commit(bool has_disk) {
  if (log_ == nullptr) {
    save();
    return false;
  }
  if (changes_.bytes().empty()) { // what a restart would find is the same
    if (!wake_)
      save(); // the next one may be of another thread
    return false;
  }
  round_.table_changes += changes_.table_changes();
  round_.bytes_put += changes_.bytes_put();
  const bool has_room = log_->has_room_for(changes_.bytes().size());
  const bool is_roomy = has_disk && has_room && has_room_to_save();
  if (!is_roomy && outside_ == nullptr) {
    save();
    return false;
  }
  log_->add(changes_.bytes());
  is_saved_ = false;
  return !is_roomy || !wake_;
}

/// Without the free pages in the file, of which readers may keep some. A page is copied once, and new ones come by what
/// is put: a page that is split is half full at least.
bool shared_transaction::has_room_to_save() {
  constexpr std::uint64_t pages_of_a_path = 6;
  constexpr std::uint64_t changes_of_a_task = 9; // its record, and out of and into four lists
  constexpr std::uint64_t bytes_of_an_entry = 64;
  const auto page = env_.page_size();
  const auto in_file = env_.pages_in_file();
  const auto changes = round_.table_changes + changes_of_a_task * (round_.tasks_placed + known_.held());
  const auto copied = std::min(changes * pages_of_a_path, in_file);
  const auto added = 2 * (round_.bytes_put + changes * bytes_of_an_entry) / page + all_tables.size();
  const auto listing = (copied + added) / 256 + 32; // those that become free
  return in_file + copied + added + listing <= options_.size_max / page;
}

/// What is held is in the journal already.
void shared_transaction::place() {
  round_.tasks_placed += known_.held();
  txn_->tell(nullptr);
  known_.place(*txn_, in_);
}

const lmdb::transaction& shared_transaction::now() {
  place();
  return *txn_;
}

void shared_transaction::drop() {
  txn_.reset();
  known_.clear();
}

void shared_transaction::save() {
  if (outside_ != nullptr)
    outside_->settle();
  if (txn_)
    place();
  if (const auto ending = std::exchange(txn_, nullptr))
    ending->commit();
  else if (!is_saved_)
    save_from_log();
  is_saved_ = true;
  end_try(true);
}

void shared_transaction::save_from_log() {
  if (outside_ == nullptr)
    return save_journal(env_, directory_);
  auto txn = lmdb::transaction::writing(env_);
  make_entries(txn, outside_->entries(), directory_.path());
  txn.commit();
}

void shared_transaction::begin_again() {
  drop();
  is_saved_ = true;
  end_try(true);
}

void shared_transaction::end_try(bool was_saved) {
  const std::lock_guard lock{mutex_};
  ++tries_;
  was_saved_ = was_saved;
  tried_.notify_all();
}

void shared_transaction::end_sharing() {
  const std::lock_guard lock{mutex_};
  is_over_ = true;
  tried_.notify_all();
}

bool shared_transaction::wait() const {
  std::unique_lock lock{mutex_};
  const auto before = tries_;
  if (is_saved_)
    return true;
  lock.unlock();
  wake_();
  lock.lock();
  tried_.wait(lock, [&] { return is_over_ || tries_ != before; });
  return tries_ != before ? was_saved_ : is_saved_.load();
}

} // namespace steadfast::store
