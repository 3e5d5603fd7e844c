#include "store/outline/definition_cache.hpp"

#include <mutex>

namespace steadfast::store {

definition_cache::entry definition_cache::find(const std::string& name, std::uint32_t version) const {
  if (auto known = parent_ ? parent_->find(name, version) : nullptr)
    return known;
  const std::shared_lock lock{mutex_};
  const auto at = entries_.find({name, version});
  return at == entries_.end() ? nullptr : at->second;
}

void definition_cache::add(const entry& d) {
  const std::unique_lock lock{mutex_};
  entries_.emplace(std::pair{d->name, d->version}, d);
}

void definition_cache::add_all_of(const definition_cache& other) {
  const std::shared_lock lock{other.mutex_};
  for (const auto& [name, d] : other.entries_)
    add(d);
}

} // namespace steadfast::store
