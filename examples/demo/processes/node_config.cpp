#include "examples/demo/processes/node_config.hpp"

#include "examples/demo/processes/services.hpp"

#include <fmt/format.h>

namespace demo {

namespace {

// The leases are short because the demo kills its nodes and has two minutes.
constexpr std::string_view head = R"(# Made by steadfast_demo.
name = "{name}"
roles = [{roles}]
workflows = [{workflows}]

[store]
path = "store"
{server}

[control]
socket = "control.sock"

[http]
listen = "{http}"

[supervisor.lease]
ttl = "3s"
renew_every = "1s"
margin = "500ms"

[cluster]
listen = "{listen}"
join = "{join}"
private_network = {private_network}
{certificates}

[cluster.lease]
ttl = "3s"
renew_every = "1s"
margin = "500ms"
)";

constexpr std::string_view agent = R"(
[[agent]]
name = "{name}"
url = "{url}"
)";

constexpr const char* other_roles = R"("scheduler", "supervisor", "agents")";

std::string certificates_of(const node_place& place) {
  if (place.certificates.empty())
    return {};
  const auto own = (place.certificates / place.name).string();
  return fmt::format("certificate = \"{0}.pem\"\nkey = \"{0}.key\"\nauthority = \"{1}\"", own,
                     (place.certificates / "authority.pem").string());
}

} // namespace

std::string make_node_config(const services& remote, const std::filesystem::path& workflows, const node_place& place) {
  const bool has_store = place.join.empty();
  auto text = fmt::format(
    head, fmt::arg("name", place.name), fmt::arg("roles", std::string{has_store ? "\"store\", " : ""} + other_roles),
    fmt::arg("workflows", has_store ? "\"" + workflows.string() + "\"" : ""), fmt::arg("listen", place.listen),
    fmt::arg("server", place.store_url.empty() ? "partitions = " + std::to_string(place.partitions)
                                               : "url = \"" + place.store_url + "\"\nlease = \"2s\""),
    fmt::arg("join", place.join), fmt::arg("private_network", place.private_network),
    fmt::arg("certificates", certificates_of(place)), fmt::arg("http", place.http));
  for (const auto& service : remote.names()) {
    const auto url = remote.url_of(service.name) + "/";
    const std::string name{service.name};
    text += fmt::format(agent, fmt::arg("name", name), fmt::arg("url", url + std::string{service.operation}));
    text += fmt::format(agent, fmt::arg("name", name + "_undo"), fmt::arg("url", url + "undo"));
    text += fmt::format(agent, fmt::arg("name", name + "_probe"), fmt::arg("url", url + "probe"));
  }
  return text;
}

} // namespace demo
