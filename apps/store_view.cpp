#include "apps/store_view.hpp"

#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace steadfast::apps {
namespace {

std::filesystem::path new_folder() {
  const auto parent = std::filesystem::temp_directory_path();
  auto pattern = (parent / "steadfast-view-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error{"no folder can be made in " + parent.string()};
  return pattern;
}

node_options options_of(const std::filesystem::path& store, const std::filesystem::path& socket) {
  node_options o;
  o.name = "read-only";
  o.roles = {};
  o.roles.scheduler = o.roles.supervisor = o.roles.agents = false;
  o.store.path = store;
  o.store.read_only = true;
  o.socket = socket;
  return o;
}

} // namespace

store_view::store_view(const std::filesystem::path& store) : folder_{new_folder()}, node_{options_of(store, socket())} {
  try {
    node_.start();
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    throw;
  }
}

store_view::~store_view() {
  node_.stop();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

} // namespace steadfast::apps
