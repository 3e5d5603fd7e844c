#include "apps/console/store_view.hpp"

namespace steadfast::apps {
namespace {

node_options options_of(const std::filesystem::path& store, const std::filesystem::path& socket) {
  node_options o;
  o.name = "read-only";
  o.roles.scheduler = o.roles.supervisor = o.roles.agents = false;
  o.store.path = store;
  o.store.read_only = true;
  o.socket = socket;
  return o;
}

} // namespace

store_view::store_view(const std::filesystem::path& store) : node_{options_of(store, socket())} {
  node_.start();
}

} // namespace steadfast::apps
