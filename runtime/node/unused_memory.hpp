#pragma once

namespace steadfast {

/// What the allocator keeps of memory that was freed goes back to the system, where it is jemalloc. That does so by
/// itself only while a thread allocates, so a node that has started and has nothing to do would keep all that its
/// start needed.
void give_back_unused_memory();

} // namespace steadfast
