#include "store/joined/partition_files.hpp"

#include "store/contract/shares.hpp"
#include "store/engine/lmdb_store.hpp"
#include "store/joined/joined_store.hpp"
#include "store/journal/directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace steadfast::store {

namespace {

constexpr const char* count_file = "partitions";
constexpr const char* unfinished = "partitions.new";
constexpr const char* lmdb_data = "data.mdb";
constexpr mode_t only_owner = 0600;

store_error wrong(const std::filesystem::path& store, const std::string& what) {
  return {"store at " + store.string() + ": " + what, false};
}

constexpr std::string_view suffixes[] = {" being made", " being copied", ""}; ///< of what is in the file, by its state

struct partition_mark {
  std::uint32_t count = 0;
  partition_files are = partition_files::complete;
};

std::optional<partition_mark> mark_at(const std::filesystem::path& store) {
  std::ifstream in{store / count_file};
  if (!in)
    return std::nullopt;
  std::string text;
  std::getline(in, text);
  partition_mark m;
  const auto* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, m.count);
  const auto* const found = std::find(std::begin(suffixes), std::end(suffixes), std::string_view{at, end});
  if (error != std::errc{} || found == std::end(suffixes) || m.count < 2 || m.count > workflow::partitions_max)
    throw wrong(store, "its file `partitions` is damaged: it must have the number of its folders partition-...");
  m.are = static_cast<partition_files>(found - std::begin(suffixes));
  return m;
}

store_options options_of(const store_options& of_all, const workflow::partition& p) {
  auto o = share_of(of_all, p);
  o.path = partition_folder(of_all.path, p.index);
  return o;
}

std::vector<std::shared_ptr<local_store>> all_of(const store_options& of_all, std::uint32_t count) {
  std::vector<std::shared_ptr<local_store>> all;
  for (std::uint32_t i = 0; i < count; ++i)
    all.push_back(open_lmdb_store(options_of(of_all, {i, count})));
  return all;
}

void make_folder(const std::filesystem::path& store) {
  std::error_code failed;
  std::filesystem::create_directories(parent_of(store), failed);
  if (mkdir(store.c_str(), 0700) != 0 && errno != EEXIST)
    throw wrong(store, std::string{"the folder cannot be made: "} + std::strerror(errno));
  sync_directory(parent_of(store));
}

/// What was made before its process died has nothing in it yet.
std::vector<std::shared_ptr<local_store>> made_new(const store_options& of_all, std::uint32_t count) {
  make_folder(of_all.path);
  mark_partitions(of_all.path, count, partition_files::being_made);
  auto all = all_of(of_all, count);
  sync_directory(of_all.path);
  mark_partitions(of_all.path, count, partition_files::complete);
  return all;
}

} // namespace

void mark_partitions(const std::filesystem::path& store, std::uint32_t count, partition_files are) {
  const auto to = store / unfinished;
  const auto fail = [&] {
    throw wrong(store, std::string{"its file `partitions` cannot be written: "} + std::strerror(errno));
  };
  const file_handle file{::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, only_owner)};
  const auto text = std::to_string(count).append(suffixes[static_cast<std::size_t>(are)]) + "\n";
  if (file.get() < 0 || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())
      || fsync(file.get()) != 0)
    fail();
  if (rename(to.c_str(), (store / count_file).c_str()) != 0)
    fail();
  sync_directory(store);
}

bool is_store_at(const std::filesystem::path& store) {
  std::error_code ignored;
  return exists(store / count_file, ignored) || exists(store / lmdb_data, ignored);
}

std::uint32_t partitions_at(const std::filesystem::path& store) {
  const auto mark = mark_at(store);
  const bool is_whole = exists(store / lmdb_data);
  if (mark && is_whole)
    throw wrong(store, "it has both a file `partitions` and a file `data.mdb`: one of them belongs to another store");
  if (!mark && !is_whole && exists(partition_folder(store, 0)))
    throw wrong(store, "its file `partitions` is missing, which has the number of its folders partition-...: write "
                       "that number into it");
  if (mark && mark->are == partition_files::being_copied)
    throw wrong(store, "it is a copy that was not finished: remove it, and copy or restore again");
  return mark ? mark->count : 1;
}

std::vector<std::shared_ptr<local_store>> open_partitions(const store_options& of_all, std::uint32_t wanted) {
  const auto there = partitions_at(of_all.path);
  const auto mark = mark_at(of_all.path);
  const bool is_new = mark ? mark->are == partition_files::being_made : !exists(of_all.path / lmdb_data);
  if ((mark || !is_new) && wanted != 0 && wanted != there)
    throw wrong(of_all.path, "it has " + std::to_string(there) + (there == 1 ? " partition" : " partitions")
                               + ", for as long as it is there, and was to have " + std::to_string(wanted)
                               + ": set store.partitions to " + std::to_string(there)
                               + " for all nodes, or begin a new store and take the tasks over with "
                                 "`store export` and `store import`");
  if (is_new && (wanted > 1 || mark) && !of_all.read_only)
    return made_new(of_all, mark ? there : wanted);
  if (is_new && mark)
    throw wrong(of_all.path, "it was not made to the end: let a node open it, which goes on");
  if (there == 1) {
    std::vector<std::shared_ptr<local_store>> one;
    one.push_back(open_lmdb_store(of_all));
    return one;
  }
  for (std::uint32_t i = 0; i < there; ++i)
    if (const auto folder = partition_folder(of_all.path, i); !exists(folder / lmdb_data))
      throw wrong(of_all.path, "its folder " + folder.filename().string() + " has no data: " + std::to_string(there)
                                 + " were made. Restore it from a copy");
  return all_of(of_all, there);
}

std::shared_ptr<local_store> open_store_files(const store_options& of_all, std::uint32_t of_new) {
  return as_one(open_partitions(of_all, is_store_at(of_all.path) ? 0 : of_new));
}

restored_store restore_all(const std::filesystem::path& from, const store_options& to, bool without_journal) {
  const auto count = partitions_at(from);
  if (count == 1)
    return restore(from, to, without_journal);
  if (is_store_at(to.path))
    throw wrong(to.path, "a store is there already");
  make_folder(to.path);
  mark_partitions(to.path, count, partition_files::being_copied);
  restored_store all;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto one = restore(partition_folder(from, i), options_of(to, {i, count}), without_journal);
    all.report.records += one.report.records;
    all.report.tasks += one.report.tasks;
    for (const auto& fault : one.report.faults)
      all.report.faults.push_back("partition " + std::to_string(i) + ": " + fault);
    all.what_may_run_again = std::move(one.what_may_run_again);
  }
  mark_partitions(to.path, count, partition_files::complete);
  return all;
}

} // namespace steadfast::store
