#pragma once

#include "store/contract/journal_watch.hpp"
#include "store/journal/commit_log.hpp"
#include "store/journal/directory.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::store {

/// The write-ahead log of a data file: entries that are durable one by one, at the cost of one sync and of the bytes in
/// them, and mean nothing for any other state of the data file. Each opening of a store gives it a name of its own,
/// which the data file knows: so a journal that is not there, or is that of another time, is noticed.
class journal final : public commit_log {
public:
  /// Makes the file if it is not there, writes room for `size` bytes of entries, and gives it this name, which nobody
  /// can guess: durable on return. Throws store_error or lmdb::error. REQUIRES: nobody needs the entries any more that
  /// are there.
  journal(const store_directory& directory, std::size_t size, std::uint64_t name,
          std::shared_ptr<journal_watch> watch = {});

  /// What was added under this name since that state, in order, but for one that was being written when the process or
  /// the power went. Throws store_error, with what to do, when the journal is missing, is another one, or is damaged
  /// elsewhere.
  static std::vector<std::string> read(const store_directory& directory, std::uint64_t name, std::uint64_t state);
  /// The name of the journal that is there, if it has an entry.
  static std::optional<std::uint64_t> name_of_used(const store_directory& directory);
  /// Gives the file another name, and says which. Durable on return.
  static std::string set_aside(const store_directory& directory);

  std::size_t size() const override { return end_ - first_; }
  bool has_room_for(std::size_t bytes) const override;
  void add(std::string_view entry) override;
  void begin(std::uint64_t state) override;

private:
  static const std::size_t first_; ///< where entries begin

  file_handle file_;
  std::size_t size_max_;
  std::uint64_t name_;
  std::shared_ptr<journal_watch> watch_;
  std::uint64_t state_ = 0;
  std::uint64_t entries_ = 0;
  std::size_t end_ = first_;
  std::string frame_;
};

} // namespace steadfast::store
