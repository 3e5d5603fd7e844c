#include "apps/bench/runs/waits.hpp"

#include "apps/bench/runs/part.hpp"

namespace steadfast::bench {
namespace {

using nlohmann::json;

part_setup waiting_part(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  return {.kind = "waiting", .folder = folder.string()};
}

} // namespace

json measure_events(const std::filesystem::path& folder, std::uint64_t tasks) {
  part node{waiting_part(folder)};
  node.call("submit waiters", {{"tasks", tasks}, {"each_its_own", true}});
  return node.call("send events", {{"tasks", tasks}});
}

json measure_release(const std::filesystem::path& folder, std::uint64_t tasks) {
  const auto setup = waiting_part(folder);
  {
    part node{setup};
    node.call("submit waiters", {{"tasks", tasks}, {"each_its_own", false}});
    node.kill();
  }
  part node{setup};
  return node.call("release");
}

json measure_sleepers(const std::filesystem::path& folder, std::uint64_t per_second, std::uint64_t seconds) {
  return part{waiting_part(folder)}.call("sleep", {{"per_second", per_second}, {"seconds", seconds}});
}

json measure_items(const std::filesystem::path& folder, std::uint64_t tasks, std::uint64_t items) {
  return part{waiting_part(folder)}.call("items", {{"tasks", tasks}, {"items", items}});
}

json measure_children(const std::filesystem::path& folder, std::uint64_t tasks) {
  return part{waiting_part(folder)}.call("children", {{"tasks", tasks}});
}

json measure_limit(const std::filesystem::path& folder, std::uint64_t tasks) {
  return part{waiting_part(folder)}.call("beside", {{"tasks", tasks}});
}

} // namespace steadfast::bench
