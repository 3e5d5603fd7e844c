#pragma once

#include "workflow/definition/definition.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <utility>

namespace steadfast::store {

/// Definitions never change once they are registered, so one copy serves every transaction and thread. Holds only
/// what was committed.
class definition_cache {
public:
  using entry = std::shared_ptr<const workflow::definition>;

  definition_cache() = default;
  /// Looks into `parent` too and adds to itself only.
  explicit definition_cache(const definition_cache* parent) : parent_{parent} {}
  definition_cache(const definition_cache&) = delete;
  definition_cache& operator=(const definition_cache&) = delete;

  entry find(const std::string& name, std::uint32_t version) const;
  void add(const entry& d);
  void add_all_of(const definition_cache& other);

private:
  const definition_cache* parent_ = nullptr;
  mutable std::shared_mutex mutex_;
  std::map<std::pair<std::string, std::uint32_t>, entry> entries_;
};

} // namespace steadfast::store
