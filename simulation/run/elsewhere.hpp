#pragma once

#include "store/contract/local_store.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace steadfast::simulation {

/// What a person does beside the cluster with what its store gives: copies it, restores the copy twice, keeps some
/// tasks in files and takes them into another store. What is not as it should be is complained of. The disk there is
/// sound; the folder must not be there, and is removed. Throws store_error when the store cannot be read.
void look_elsewhere(const store::local_store& s, const std::filesystem::path& folder,
                    const std::function<void(std::string)>& complain);

} // namespace steadfast::simulation
