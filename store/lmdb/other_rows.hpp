#pragma once

#include "store/lmdb/schema.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace steadfast::store {

/// Rows that are kept elsewhere, as if they were in the tables.
class other_rows {
public:
  void put(lmdb::table t, std::string key, std::string value) {
    rows_[t.dbi].insert_or_assign(std::move(key), std::move(value));
  }

  /// Valid as long as these are not changed.
  std::optional<std::string_view> get(lmdb::table t, std::string_view key) const {
    const auto in = rows_.find(t.dbi);
    if (in == rows_.end())
      return std::nullopt;
    const auto found = in->second.find(key);
    return found == in->second.end() ? std::nullopt : std::optional<std::string_view>{found->second};
  }

  /// Hands those whose keys begin so to use(key, value), in the order of their keys.
  template <class Use>
  void each_with(lmdb::table t, std::string_view prefix, Use use) const {
    const auto in = rows_.find(t.dbi);
    if (in == rows_.end())
      return;
    for (auto at = in->second.lower_bound(prefix); at != in->second.end() && at->first.starts_with(prefix); ++at)
      use(std::string_view{at->first}, std::string_view{at->second});
  }

private:
  std::map<unsigned, std::map<std::string, std::string, std::less<>>> rows_; ///< by table and key
};

} // namespace steadfast::store
