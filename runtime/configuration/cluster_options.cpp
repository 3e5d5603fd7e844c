#include "runtime/configuration/cluster_options.hpp"

#include "runtime/text/address.hpp"
#include "workflow/text/split.hpp"

namespace steadfast {

namespace {

void check_address(const std::string& key, const std::string& value, std::vector<std::string>& found) {
  if (!runtime::parse_address(value))
    found.push_back("cluster." + key + ": `" + value + "` is not host:port, such as 127.0.0.1:7801");
}

void check_certificates(const cluster_options& o, std::vector<std::string>& found) {
  const bool some = !o.certificate.empty() || !o.key.empty() || !o.authority.empty();
  const bool all = !o.certificate.empty() && !o.key.empty() && !o.authority.empty();
  if (some && !all)
    found.push_back("cluster.certificate, cluster.key and cluster.authority: give all three, or none");
}

void check_exposure(const cluster_options& o, std::vector<std::string>& found) {
  const auto listen = runtime::parse_address(o.listen);
  if (!listen || runtime::is_loopback(*listen) || o.has_certificates() || o.private_network)
    return;
  found.push_back("cluster.listen: " + o.listen
                  + " can be reached from other hosts, and whoever reaches it controls the node: give certificate, key "
                    "and authority, or set private_network = true if only your nodes can reach it");
}

void check_roles(const cluster_options& o, const workflow::node_roles& roles, std::vector<std::string>& found) {
  if (roles.store && !o.join.empty())
    found.push_back("cluster.join: this node has the role `store` itself; leave one of the two out");
  if (!roles.store && o.join.empty())
    found.push_back(
      "cluster.join is missing: a node without the role `store` needs the address of the one that has it");
}

} // namespace

std::vector<std::string> cluster_options::joined() const {
  if (join.empty())
    return {};
  const auto addresses = workflow::split(join, ',');
  return {addresses.begin(), addresses.end()};
}

std::vector<std::string> problems(const cluster_options& o, const workflow::node_roles& roles) {
  std::vector<std::string> found;
  if (!o.listen.empty())
    check_address("listen", o.listen, found);
  if (!o.advertise.empty())
    check_address("advertise", o.advertise, found);
  for (const auto& one : o.joined())
    check_address("join", one, found);
  check_certificates(o, found);
  check_exposure(o, found);
  check_roles(o, roles, found);
  return found;
}

} // namespace steadfast
