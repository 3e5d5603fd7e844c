#include "store/shared_transaction.hpp"

#include "store/record.hpp"
#include "store/recovery.hpp"
#include "workflow/mutant.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace steadfast::store {

namespace {

/// What tells one state of the data file from every other, also from those of a copy that is put in its place.
std::uint64_t state_of(const lmdb::environment& env) {
  const auto txn = lmdb::transaction::reading(env);
  const auto meta = txn.open_table("meta");
  const auto counters = meta ? txn.get(*meta, counters_key) : std::nullopt;
  const std::array<std::uint64_t, 3> parts{env.last_transaction(), env.pages_in_file(),
                                           hash_of(counters.value_or(std::string_view{}))};
  return hash_of({reinterpret_cast<const char*>(parts.data()), sizeof parts});
}

} // namespace

bool has_unsaved(const lmdb::environment& env, const store_directory& directory) {
  return !journal::read(directory, state_of(env)).empty();
}

void save_journal(lmdb::environment& env, const store_directory& directory) {
  const auto entries = journal::read(directory, state_of(env));
  if (entries.empty() || workflow::mutant("journal_not_read"))
    return;
  auto txn = lmdb::transaction::writing(env);
  try {
    change_maker maker{txn};
    for (const auto& e : entries)
      maker.make(e);
  } catch (const damaged_record& e) {
    throw damaged_file(directory.path(), std::string{"its journal does not fit it: "} + e.what());
  }
  txn.commit();
}

shared_transaction::shared_transaction(lmdb::environment& env, const tables& in, const store_directory& directory,
                                       std::size_t journal_max)
    : env_{env},
      in_{in},
      directory_{directory},
      journal_max_{journal_max},
      changes_{in} {}

void shared_transaction::share(std::function<void()> wake) {
  if (!journal_)
    journal_.emplace(directory_, journal_max_);
  wake_ = std::move(wake);
}

lmdb::transaction& shared_transaction::begin() {
  if (!txn_ && !is_saved_)
    save();
  if (!txn_) {
    txn_.reset(new lmdb::transaction{lmdb::transaction::writing(env_)});
    thread_ = std::this_thread::get_id();
    if (journal_)
      journal_->begin(state_of(env_));
  }
  changes_.clear();
  txn_->tell(journal_ ? &changes_ : nullptr);
  return *txn_;
}

void shared_transaction::commit() {
  if (!journal_ || !journal_->has_room_for(changes_.bytes().size()))
    return save();
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
