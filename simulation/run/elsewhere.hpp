#pragma once

#include "store/contract/local_store.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace steadfast::simulation {

/// What a person does with the store outside of the cluster: copies it, restores the copy twice, exports some tasks and
/// imports them into another store. Reports whatever is wrong. The disk there has no faults; the folder must not exist,
/// and is removed. Throws store_error if the store cannot be read.
void look_elsewhere(const store::local_store& s, const workflow::partition& of, const std::filesystem::path& folder,
                    const std::function<void(std::string)>& complain);

} // namespace steadfast::simulation
