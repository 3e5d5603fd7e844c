#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace demo {

class node;

/// What nodes, clients and services wrote of one run, in one folder.
struct evidence {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> effect_logs; ///< of the services
  bool has_wakes = false;                         ///< somebody woke steps that waited

  std::filesystem::path clients() const { return folder / "clients.jsonl"; }
  std::filesystem::path wakes() const { return folder / "wakes.jsonl"; }
  std::filesystem::path alerts() const { return folder / "alerts.jsonl"; }
  std::filesystem::path tasks() const { return folder / "tasks.jsonl"; }
};

/// Writes all tasks of the store of a node that has ended.
void dump_tasks(const node& with_store, const evidence& e);

struct checker_result {
  bool kept = false;  ///< every promise
  std::string report; ///< of the program effect_checker
};

/// Lets effect_checker compare what each wrote. Throws std::exception when it cannot be run.
checker_result run_checker(const std::filesystem::path& effect_checker, const evidence& e);

} // namespace demo
