#include "examples/demo/processes/program.hpp"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>

namespace demo {

namespace {

volatile std::sig_atomic_t signalled = 0;

void on_signal(int) {
  signalled = 1;
}

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::filesystem::path make_folder(const std::string& name) {
  auto pattern = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error{"no folder can be made in " + std::filesystem::temp_directory_path().string()};
  return pattern;
}

/// With the store of an earlier run in the folder the result would be wrong.
std::filesystem::path make_empty_folder(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  if (!std::filesystem::is_empty(folder))
    throw std::runtime_error{folder.string() + " is not empty"};
  return std::filesystem::absolute(folder);
}

} // namespace

bool was_interrupted() {
  return signalled != 0;
}

int play_in_folder(const std::string& name, const std::filesystem::path& keep,
                   const std::function<bool(const std::filesystem::path& folder)>& play) {
  catch_signals();
  std::filesystem::path folder;
  bool kept = false;
  try {
    folder = keep.empty() ? make_folder(name) : make_empty_folder(keep);
    kept = play(folder);
  } catch (const std::exception& e) {
    std::cerr << name << ": " << e.what() << "\nFiles: " << folder.string() << '\n';
    return was_interrupted() ? 130 : 3;
  }
  if (kept && keep.empty())
    std::filesystem::remove_all(folder);
  else
    std::cout << "Files: " << folder.string() << '\n';
  std::cout << name << (kept ? ": PASSED: every promise was kept\n" : ": FAILED\n");
  return was_interrupted() ? 130 : kept ? 0 : 1;
}

} // namespace demo
