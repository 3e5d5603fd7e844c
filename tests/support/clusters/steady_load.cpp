#include "tests/support/clusters/steady_load.hpp"

#include "steadfast/client.hpp"

#include <optional>
#include <utility>

namespace steadfast::tests {

steady_load::steady_load(const std::map<std::string, std::string>& sockets, std::string workflow,
                         std::chrono::milliseconds pause)
    : workflow_{std::move(workflow)},
      pause_{pause} {
  for (const auto& [node, socket] : sockets)
    threads_.emplace_back([this, node = node, socket = socket] { submit(node, socket); });
}

steady_load::~steady_load() {
  stop();
}

int steady_load::acknowledged(const std::string& node) const {
  const std::lock_guard lock{mutex_};
  const auto found = ids_.find(node);
  return found == ids_.end() ? 0 : static_cast<int>(found->second.size());
}

std::vector<std::string> steady_load::why_repeated() const {
  const std::lock_guard lock{mutex_};
  return why_repeated_;
}

std::vector<std::string> steady_load::stop() {
  is_over_ = true;
  threads_.clear(); // waits for them
  std::vector<std::string> all;
  const std::lock_guard lock{mutex_};
  for (const auto& [node, ids] : ids_)
    all.insert(all.end(), ids.begin(), ids.end());
  return all;
}

void steady_load::submit(const std::string& node, const std::string& socket) {
  std::optional<client> to;
  submit_options how;
  for (int i = 0; !is_over_; ++i) {
    how.id = node + "-" + std::to_string(i);
    for (bool is_taken = false; !is_taken;) {
      try {
        if (!to)
          to.emplace(socket);
        to->submit(workflow_, "{}", how);
        is_taken = true;
      } catch (const client_error& e) { // the node will be back
        to.reset();
        {
          const std::lock_guard lock{mutex_};
          why_repeated_.push_back(how.id + ": " + e.what());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
      }
    }
    {
      const std::lock_guard lock{mutex_};
      ids_[node].push_back(how.id);
    }
    std::this_thread::sleep_for(pause_);
  }
}

} // namespace steadfast::tests
