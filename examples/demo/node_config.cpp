#include "examples/demo/node_config.hpp"

#include "examples/demo/services.hpp"

#include <fmt/format.h>

namespace demo {

namespace {

// The lease is short because the demo kills its node twice and has two minutes.
constexpr std::string_view head = R"(# Made by steadfast_demo.
name = "demo"
workflows = ["{workflows}"]

[store]
path = "store"

[control]
socket = "control.sock"

[supervisor.lease]
ttl = "3s"
renew_every = "1s"
margin = "500ms"
)";

constexpr std::string_view agent = R"(
[[agent]]
name = "{name}"
url = "{url}"
)";

} // namespace

std::string make_node_config(const services& remote, const std::filesystem::path& workflows) {
  auto text = fmt::format(head, fmt::arg("workflows", workflows.string()));
  for (const auto& service : service_names()) {
    const auto url = remote.url_of(service.name) + "/";
    const std::string name{service.name};
    text += fmt::format(agent, fmt::arg("name", name), fmt::arg("url", url + std::string{service.operation}));
    text += fmt::format(agent, fmt::arg("name", name + "_undo"), fmt::arg("url", url + "undo"));
    text += fmt::format(agent, fmt::arg("name", name + "_probe"), fmt::arg("url", url + "probe"));
  }
  return text;
}

} // namespace demo
