#include "store/postgres/known_commits.hpp"

#include <fstream>
#include <system_error>
#include <utility>

namespace steadfast::store::postgres {

known_commits::known_commits(std::filesystem::path file) : file_{std::move(file)} {
  if (file_.empty())
    return;
  std::ifstream in{file_};
  std::string identity;
  acknowledged known;
  if (in >> known.epoch >> known.commit >> std::ws && std::getline(in, identity)) {
    identity_ = std::move(identity);
    known_ = known;
  }
}

acknowledged known_commits::of(const std::string& identity) const {
  const std::lock_guard lock{mutex_};
  return identity == identity_ ? known_ : acknowledged{};
}

void known_commits::raise(const std::string& identity, const acknowledged& seen, const std::string& server) {
  const std::lock_guard lock{mutex_};
  const auto before = identity == identity_ ? known_ : acknowledged{};
  const auto place = [](const acknowledged& a) { return std::pair{a.epoch, a.commit}; };
  identity_ = identity;
  if (place(seen) < place(before))
    return;
  known_ = seen;
  server_ = server;
  is_saved_ = is_saved_ && known_ == before;
}

std::string known_commits::server() const {
  const std::lock_guard lock{mutex_};
  return server_;
}

void known_commits::save() {
  const std::lock_guard lock{mutex_};
  if (is_saved_ || file_.empty())
    return;
  auto unfinished = file_;
  unfinished += ".new";
  std::ofstream out{unfinished};
  out << known_.epoch << ' ' << known_.commit << ' ' << identity_ << '\n';
  out.close();
  if (!out)
    return; // the disk is full: the next time
  std::error_code failed;
  std::filesystem::rename(unfinished, file_, failed);
  is_saved_ = !failed;
}

} // namespace steadfast::store::postgres
