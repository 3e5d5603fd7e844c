#pragma once

#include "store/lmdb.hpp"
#include "store/schema.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace steadfast::store {

/// The changes that a transaction makes to its tables, as bytes from which they can be made again. A value that replaces
/// another one is told by what is different.
class change_log final : public lmdb::change_listener {
public:
  explicit change_log(const tables& in) : in_{in} {}

  void on_put(lmdb::table t, std::string_view key, std::string_view before, std::string_view value) override;
  void on_erase(lmdb::table t, std::string_view key) override;

  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

private:
  void add(std::uint8_t what, lmdb::table t, std::string_view key);

  const tables& in_;
  std::string bytes_;
};

/// Makes them again. Throws damaged_record for bytes that do not fit what is there.
void make_changes(lmdb::transaction& txn, std::string_view changes);

} // namespace steadfast::store
