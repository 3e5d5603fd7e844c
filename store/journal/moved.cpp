#include "store/journal/moved.hpp"

#include "store/contract/state_store.hpp"
#include "store/journal/directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace steadfast::store {

namespace {

namespace fs = std::filesystem;

constexpr const char* mark_name = "moved";
constexpr const char* new_mark_name = "moved.new";
constexpr const char* is_moving = "moving";
constexpr const char* was_moved = "moved";

[[noreturn]] void refuse_move(const std::string& what) {
  throw store_error{what, false};
}

} // namespace

std::optional<move_mark> mark_of_move(const fs::path& store) {
  const auto path = store / mark_name;
  if (!fs::exists(fs::symlink_status(path)))
    return std::nullopt;
  std::ifstream file{path};
  move_mark mark;
  std::string state;
  if (!std::getline(file, state) || !std::getline(file, mark.identity) || !std::getline(file, mark.where)
      || (state != is_moving && state != was_moved))
    refuse_move(path.string() + " cannot be read, so it is not known where the store was moved to");
  mark.is_done = state == was_moved;
  return mark;
}

void mark_move(const fs::path& store, const move_mark& mark) {
  const auto text = std::string{mark.is_done ? was_moved : is_moving} + "\n" + mark.identity + "\n" + mark.where + "\n";
  const auto made = store / new_mark_name;
  const file_handle f{open(made.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (f.get() < 0 || ::write(f.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())
      || fsync(f.get()) != 0 || rename(made.c_str(), (store / mark_name).c_str()) != 0)
    refuse_move("cannot write " + made.string() + ": " + std::strerror(errno));
  sync_directory(store);
}

void forget_move(const fs::path& store) {
  if (unlink((store / mark_name).c_str()) != 0 && errno != ENOENT)
    refuse_move("cannot remove " + (store / mark_name).string() + ": " + std::strerror(errno));
  sync_directory(store);
}

void refuse_moved(const fs::path& store) {
  const auto mark = mark_of_move(store);
  if (mark && mark->is_done)
    refuse_move("the store at " + store.string() + " was moved to " + mark->where
                + ": start its nodes on that one. `steadfast store restore " + store.string()
                + " --to FOLDER` makes another store of what was in it then");
  if (mark)
    refuse_move("the store at " + store.string() + " may have been moved to " + mark->where
                + ": run the same `steadfast store move` again; it finds out, and continues. If that server will never "
                  "be used again,"
                  " remove the file "
                + (store / mark_name).string());
}

} // namespace steadfast::store
