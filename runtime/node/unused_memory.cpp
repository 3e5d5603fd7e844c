#include "runtime/node/unused_memory.hpp"

#include <cstddef>

/// Of jemalloc, which not every program is linked with (STEADFAST_JEMALLOC).
extern "C" int mallctl(const char* name, void* old, std::size_t* old_size, void* now, std::size_t now_size)
  __attribute__((weak));

namespace steadfast {

namespace {

constexpr const char* purge_all_arenas = "arena.4096.purge"; ///< 4096 is MALLCTL_ARENAS_ALL

} // namespace

void give_back_unused_memory() {
  if (mallctl != nullptr)
    mallctl(purge_all_arenas, nullptr, nullptr, nullptr, 0);
}

} // namespace steadfast
