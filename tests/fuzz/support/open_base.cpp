#include "tests/fuzz/support/open_base.hpp"

#include "store/records/record.hpp"
#include "store/upkeep/check.hpp"
#include "tests/fuzz/support/scratch.hpp"
#include "tests/fuzz/support/seen_store.hpp"
#include "tests/unit/store/support.hpp"

namespace steadfast::fuzz {

namespace {

constexpr std::uint64_t map_size = 64 << 20;

std::filesystem::path laid_down_base() {
  const auto folder = scratch_folder() / "open_base";
  lay_down(folder, base().bytes);
  return folder;
}

} // namespace

open_base::open_base() : options{store::test::small_options(laid_down_base())}, env{{options.path, map_size, false}} {
  auto txn = store::lmdb::transaction::reading(env);
  in = store::open_all_tables(txn);
  txn.commit(); // keeps the handles
}

open_base& opened_base() {
  static open_base b;
  return b;
}

trial::trial()
    : txn_{store::lmdb::transaction::writing(opened_base().env)},
      committed_{opened_base().options.recent_ids_max},
      moved_ids_{opened_base().options.recent_ids_max} {
  const auto& in = opened_base().in;
  committed_.load(txn_, in);
  committed_.recent.load(txn_, in, committed_.count.last_task);
}

std::vector<store::outcome> trial::commit(const std::vector<store::write>& batch) {
  const auto& [options, env, in] = opened_base();
  const auto pages_max = (options.size_max - options.size_reserve) / env.page_size();
  store::write_batch writes{
    txn_, in, committed_, {&options, store::room::there, pages_max, &moved_ids_, &known_, nullptr}};
  std::vector<store::outcome> outcomes;
  for (const auto& w : batch)
    outcomes.push_back(writes.carry_out(w));
  writes.finish();
  known_.place(txn_, in);
  moved_ids_.keep_position();
  writes.tell(committed_);
  return outcomes;
}

std::string trial::fault() {
  if (const auto damaged = committed_.damage.take(); !damaged.empty())
    return damaged[0].why;
  const auto& in = opened_base().in;
  const auto faults = store::check_records(txn_, in, {txn_, in, committed_.definitions}).faults;
  return faults.empty() ? std::string{} : faults[0];
}

} // namespace steadfast::fuzz
