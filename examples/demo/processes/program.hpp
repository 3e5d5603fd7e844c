#pragma once

#include <filesystem>
#include <functional>
#include <string>

// Common to the programs that play a scenario: Ctrl-C, a folder, an exit code.

namespace demo {

/// Ctrl-C or SIGTERM came.
bool was_interrupted();

/// Plays a scenario in a folder. Returns 0: every promise was kept, 1: not, 3: it could not be played, 130: Ctrl-C.
/// With `keep` the files are left there, otherwise in a new folder that is removed if all went well.
int play_in_folder(const std::string& name, const std::filesystem::path& keep,
                   const std::function<bool(const std::filesystem::path& folder)>& play);

} // namespace demo
