#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace demo {

/// Figures of all tasks, from the dump of the store.
struct outcome {
  std::map<std::string, std::uint64_t> tasks; ///< by process_state
  std::uint64_t steps = 0;                    ///< that completed
  std::uint64_t retries = 0;                  ///< attempts beyond the first, of any step
  std::uint64_t undone_steps = 0;
};

/// Figures from the effect logs of the services.
struct effects {
  std::uint64_t lines = 0;
  std::uint64_t keys = 0;        ///< under which an effect took place
  std::uint64_t repeats = 0;     ///< requests that found their effect in place
  std::uint64_t most_of_key = 0; ///< effects under the same key: 1 when nothing happened twice
};

outcome read_dump(const std::filesystem::path& dump);
effects read_effects(const std::vector<std::filesystem::path>& logs);

/// The table at the end.
std::string table(const outcome& tasks, const effects& seen, double seconds);

} // namespace demo
