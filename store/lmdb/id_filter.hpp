#pragma once

#include "store/lmdb/id_bits.hpp"
#include "store/lmdb/schema.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace steadfast::store {

/// For nearly every absent id it says so without a look-up in the large table `ids`, which would load pages needed for
/// nothing else. For the writer. Memory: 2 to 8 bytes for each id in the table, at most 64 MiB; for a table that needs
/// more it says nothing.
class id_filter {
public:
  /// `first`: room for so many ids; it grows.
  explicit id_filter(std::size_t first);

  /// False: the table does not have it.
  bool may_have(std::string_view id) const;
  /// REQUIRED before an id is put into the table; it need not come to that.
  void add(std::string_view id);
  /// What was read since the last of these two calls is as it was committed, or was of a transaction that is dropped:
  /// the table may have rows again that were passed.
  void keep_position();
  void drop_position();
  /// Reads on in the table. Until it was read to its end, may_have() is true.
  void read_on(const lmdb::transaction& txn, const tables& in, std::size_t rows_max);

private:
  void begin_anew(std::size_t room);

  id_bits bits_;
  struct position {
    std::string until;
    bool is_end = false;
  };
  position read_;
  position kept_; ///< that of the last commit
};

} // namespace steadfast::store
