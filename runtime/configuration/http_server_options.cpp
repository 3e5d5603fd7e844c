#include "runtime/configuration/http_server_options.hpp"

#include "api/route.hpp"
#include "runtime/text/address.hpp"

namespace steadfast {

namespace {

void check_exposure(const http_server_options& o, std::vector<std::string>& found) {
  const auto listen = runtime::parse_address(o.listen);
  if (!listen || runtime::is_loopback(*listen))
    return;
  if (!o.has_certificate())
    found.push_back("http.listen: " + o.listen
                    + " can be reached from other hosts, and tokens and payloads would go there in the clear: give "
                      "certificate and key");
  if (o.tokens.empty() && o.authority.empty())
    found.push_back("http.listen: " + o.listen
                    + " can be reached from other hosts, and whoever reaches it controls the node: give tokens, or "
                      "authority for clients with certificates");
}

} // namespace

std::vector<std::string> problems(const http_server_options& o) {
  std::vector<std::string> found;
  if (!o.is_used())
    return found;
  if (!runtime::parse_address(o.listen))
    found.push_back("http.listen: `" + o.listen + "` is not host:port, such as 127.0.0.1:7800");
  if (o.certificate.empty() != o.key.empty())
    found.push_back("http.certificate and http.key: give both, or none");
  if (!o.authority.empty() && !o.has_certificate())
    found.push_back("http.authority: it checks the certificates of clients, which takes certificate and key");
  for (const auto& s : o.certificate_scopes)
    if (!api::parse_scope(s))
      found.push_back("http.certificate_scopes: there is no `" + s + "`; there are submit, read, operate, admin");
  for (const auto& origin : o.origins)
    if (!origin.starts_with("http://") && !origin.starts_with("https://"))
      found.push_back("http.origins: `" + origin + "` must be like https://host or https://host:port");
  if (o.connections_max == 0)
    found.push_back("http.connections_max must be above zero");
  if (o.body_size_max == 0)
    found.push_back("http.body_size_max must be above zero");
  check_exposure(o, found);
  return found;
}

} // namespace steadfast
