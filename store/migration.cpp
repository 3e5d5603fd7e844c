#include "store/migration.hpp"

#include "store/record.hpp"
#include "store/schema.hpp"
#include "workflow/mutant.hpp"

#include <algorithm>
#include <string>

namespace steadfast::store {

std::vector<migration> all_migrations() {
  return {}; // format 1 is the first
}

std::optional<std::uint32_t> format_of(const lmdb::transaction& txn) {
  const auto meta = txn.open_table("meta");
  if (!meta)
    return std::nullopt;
  const auto bytes = txn.get(*meta, format_key);
  if (!bytes)
    return std::nullopt;
  try {
    return decode_record<format_record>(format_key, *bytes).format;
  } catch (const damaged_record& e) {
    throw store_error{std::string{"the record of the store's format is damaged: "} + e.what(), false};
  }
}

void set_format(lmdb::transaction& txn, std::uint32_t format) {
  txn.put(txn.make_table("meta"), format_key, encode_record(format_key, format_record{format}));
}

void expect_format(const lmdb::transaction& txn, std::uint32_t format, bool exactly) {
  const auto at = format_of(txn);
  if (at && *at > format)
    throw store_error{"the store has format " + std::to_string(*at) + ", this program knows formats up to "
                        + std::to_string(format) + ": run the newer version of the program",
                      false};
  if (at && *at < format && exactly)
    throw store_error{"the store has format " + std::to_string(*at) + ", this program reads format "
                        + std::to_string(format) + ": let a node open it, which brings it up to date",
                      false};
}

void migrate(lmdb::environment& env, std::uint32_t format, const std::vector<migration>& steps) {
  for (;;) {
    auto txn = lmdb::transaction::writing(env);
    const auto at = format_of(txn);
    if (!at || *at == format)
      return;
    const auto step = std::find_if(steps.begin(), steps.end(), [&](const migration& m) { return m.from == *at; });
    if (step == steps.end())
      throw store_error{"the store has format " + std::to_string(*at) + ", from which no way leads to format "
                          + std::to_string(format),
                        false};
    if (!workflow::mutant("migration_step_skipped"))
      step->run(txn);
    set_format(txn, *at + 1);
    txn.commit();
  }
}

} // namespace steadfast::store
