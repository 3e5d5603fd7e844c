#include "store/shared_transaction.hpp"

#include "store/state_store.hpp"
#include "store/unsaved.hpp"

#include <utility>

namespace steadfast::store {

shared_transaction::shared_transaction(lmdb::environment& env, const tables& in, const store_directory& directory,
                                       std::size_t journal_max)
    : env_{env},
      in_{in},
      directory_{directory},
      journal_max_{journal_max},
      changes_{in} {}

void shared_transaction::share(std::function<void()> wake, std::uint64_t name) {
  if (!journal_) {
    if (name == 0)
      throw store_error{"no name was handed in for it", false};
    journal made{directory_, journal_max_, name};
    auto txn = lmdb::transaction::writing(env_);
    put_used_journal(txn, {name, true});
    txn.commit();
    journal_.emplace(std::move(made));
  }
  wake_ = std::move(wake);
}

lmdb::transaction& shared_transaction::begin() {
  if (!txn_ && !is_saved_)
    save();
  if (!txn_) {
    txn_.reset(new lmdb::transaction{lmdb::transaction::writing(env_)});
    thread_ = std::this_thread::get_id();
    if (journal_)
      journal_->begin(env_.last_transaction());
  }
  changes_.clear();
  txn_->tell(journal_ ? &changes_ : nullptr);
  return *txn_;
}

void shared_transaction::commit() {
  if (!journal_ || !journal_->has_room_for(changes_.bytes().size()))
    return save();
  if (changes_.bytes().empty())
    return; // what a restart would find is the same
  journal_->add(changes_.bytes());
  is_saved_ = false;
}

/// What is held is in the journal already.
void shared_transaction::place() {
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
  if (txn_)
    place();
  if (const auto ending = std::exchange(txn_, nullptr))
    ending->commit();
  else if (!is_saved_)
    save_journal(env_, directory_);
  is_saved_ = true;
  let_go();
}

void shared_transaction::let_go() {
  const std::lock_guard lock{mutex_};
  ++tries_;
  tried_.notify_all();
}

void shared_transaction::wait() const {
  std::unique_lock lock{mutex_};
  const auto before = tries_;
  if (is_saved_)
    return;
  lock.unlock();
  wake_();
  lock.lock();
  tried_.wait(lock, [&] { return tries_ != before; });
}

} // namespace steadfast::store
