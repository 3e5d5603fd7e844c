#include "runtime/http/http_callers.hpp"

#include "runtime/text/address.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"

#include <boost/beast/core/string.hpp>

#include <algorithm>
#include <utility>

namespace steadfast::runtime {

namespace {

constexpr std::size_t budgets_max = 10'000; ///< callers that are remembered
constexpr std::string_view bearer = "Bearer ";

constexpr std::chrono::minutes told_every{1};
constexpr std::size_t peers_max = 1000; ///< told apart; the others are told of together
constexpr const char* other_peers = "further addresses";

bool contains(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Of a page that this node gave. Behind a proxy it may be encrypted although the node's connection is not; never the
/// other way round, for then somebody on the way made it.
bool is_own_page(std::string_view origin, const http_request& r) {
  const auto host = std::string{r.header(boost::beast::http::field::host)};
  return origin == "https://" + host || (!r.is_encrypted && origin == "http://" + host);
}

bool is_bearer(std::string_view given) {
  const auto scheme = given.substr(0, bearer.size());
  return boost::beast::iequals({scheme.data(), scheme.size()}, {bearer.data(), bearer.size()});
}

http_problem not_allowed(const std::string& why) {
  return {401, "unauthorized", why, "Authorization"};
}

} // namespace

bool http_caller::may_use(const std::string& workflow) const {
  return workflows.empty() || contains(workflows, workflow);
}

http_problem http_caller::not_its_workflow() const {
  return {403, "forbidden",
          workflow::quoted(name) + " may only use tasks of the workflows " + workflow::joined(workflows, ", "),
          "workflow"};
}

bool http_caller::is_by_role(const api::route& r) const {
  return r.is_for_roles && !roles.empty() && !api::allows(scopes, r.needs);
}

namespace {

http_problem not_to_him(const http_caller& c, const std::string& role) {
  return {403, "wrong_role",
          workflow::quoted(c.name) + " may only answer questions to the roles " + workflow::joined(c.roles, ", ")
            + ", not to " + workflow::quoted(role),
          "role"};
}

} // namespace

std::optional<http_problem> http_caller::narrow_to_roles(nlohmann::json& params) const {
  std::vector<std::string> asked;
  if (const auto one = params.find("role"); one != params.end() && one->is_string())
    asked.push_back(*one);
  if (const auto some = params.find("roles"); some != params.end() && some->is_array())
    for (const auto& role : *some)
      if (role.is_string())
        asked.push_back(role);
  for (const auto& role : asked)
    if (!contains(roles, role))
      return not_to_him(*this, role);
  if (asked.empty())
    params["roles"] = roles;
  return std::nullopt;
}

http_problem http_caller::no_question() {
  return {404, "not_found", "no step of that task and name asks a person now"};
}

std::optional<http_problem> http_caller::why_no_answer(const nlohmann::json& task, const std::string& step) const {
  for (const auto& s : task.at("steps"))
    if (s.at("name") == step && s.contains("waits_for_role")) {
      const std::string role = s.at("waits_for_role");
      return contains(roles, role) ? std::nullopt : std::optional{not_to_him(*this, role)};
    }
  return no_question();
}

nlohmann::json json_of(const http_caller& c) {
  std::vector<std::string> scopes;
  for (const auto s : c.scopes)
    scopes.emplace_back(to_string(s));
  return {{"name", c.name}, {"scopes", scopes}, {"workflows", c.workflows}, {"roles", c.roles}};
}

http_callers::http_callers(http_server_options o) : options_{std::move(o)} {
  for (const auto& s : options_.certificate_scopes)
    certificate_scopes_.push_back(api::parse_scope(s).value());
  if (!options_.tokens.empty())
    tokens_ = std::make_unique<token_book>(options_.tokens);
}

std::optional<http_problem> http_callers::why_not_here(const http_request& r) const {
  using boost::beast::http::field;
  const auto host = host_of(r.header(field::host));
  const auto own = parse_address(options_.listen);
  const bool is_own = host == "localhost" || host == "127.0.0.1" || host == "[::1]" || contains(options_.names, host)
                      || (own && (host == own->host || host == "[" + own->host + "]"));
  // With a name of its own a host is asked by it; where nobody named one, tokens keep others out.
  if (!is_own && (!tokens_ || !options_.names.empty()))
    return http_problem{421, "wrong_host",
                        "this node is not known as `" + host + "`: give the name in `http.names` if it is", "Host"};
  const auto origin = r.header(field::origin);
  if (origin.empty() || is_known_origin(origin) || is_own_page(origin, r))
    return std::nullopt;
  return http_problem{
    403, "wrong_origin",
    "a page of " + std::string{origin} + " may not ask this node: `http.origins` names those that may", "Origin"};
}

bool http_callers::is_known_origin(std::string_view origin) const {
  return contains(options_.origins, origin);
}

std::variant<http_caller, http_problem> http_callers::who_asks(const http_request& r, workflow::instant now) const {
  const auto given = r.header(boost::beast::http::field::authorization);
  if (!r.certificate_name.empty() && given.empty())
    return http_caller{r.certificate_name, certificate_scopes_, {}, {}};
  if (!tokens_ && options_.authority.empty())
    return http_caller{{}, {api::scope::admin}, {}, {}};
  if (given.empty())
    return not_allowed(ways_in());
  if (!tokens_)
    return not_allowed("no tokens are taken: " + ways_in() + ", and send no `Authorization`");
  if (!is_bearer(given))
    return not_allowed("only bearer tokens are taken: " + ways_in());
  if (auto t = tokens_->find(given.substr(bearer.size()), now))
    return http_caller{t->name, std::move(t->scopes), std::move(t->workflows), std::move(t->roles)};
  return not_allowed("the token is unknown, was revoked or has expired: `steadfast token list` shows those of this "
                     "node, `steadfast token create` makes one");
}

std::string http_callers::ways_in() const {
  const std::string token = "give a token, as `Authorization: Bearer TOKEN` (`steadfast token create` makes one)";
  const std::string certificate = "show a certificate that this node's `http.authority` vouches for";
  if (!tokens_)
    return certificate;
  return options_.authority.empty() ? token : token + ", or " + certificate;
}

std::chrono::milliseconds http_callers::too_often(const http_caller& c, const std::string& peer, steady now) {
  if (options_.rate_max == 0)
    return {};
  const double rate = options_.rate_max;
  const std::lock_guard lock{mutex_};
  if (budgets_.size() >= budgets_max)
    std::erase_if(budgets_, [&](const auto& b) { return now - b.second.at > std::chrono::seconds{1}; });
  auto& b = budgets_.try_emplace(c.name.empty() ? network_of(peer) : c.name, budget{rate, now}).first->second;
  b.left = std::min(rate, b.left + rate * std::chrono::duration<double>(now - b.at).count());
  b.at = now;
  if (b.left < 1)
    return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>((1 - b.left) / rate));
  b.left -= 1;
  return {};
}

void http_callers::save_uses() {
  if (tokens_)
    tokens_->save_uses();
}

void refused_callers::add(const std::string& peer, const std::string& why, steady now) {
  const std::lock_guard lock{mutex_};
  const auto network = network_of(peer);
  const bool is_known = of_peers_.size() < peers_max || of_peers_.contains(network);
  const auto [place, is_new] = of_peers_.try_emplace(is_known ? network : other_peers);
  auto& r = place->second;
  ++r.untold;
  r.why = why;
  if (is_new || now - r.told_at >= told_every)
    tell(place->first, r, now);
}

void refused_callers::tell_rest(steady now) {
  const std::lock_guard lock{mutex_};
  for (auto at = of_peers_.begin(); at != of_peers_.end();) {
    auto& r = at->second;
    const bool is_over = now - r.told_at >= told_every;
    if (is_over && r.untold == 0) {
      at = of_peers_.erase(at);
      continue;
    }
    if (is_over)
      tell(at->first, r, now);
    ++at;
  }
}

void refused_callers::tell(const std::string& peer, refusals& r, steady now) const {
  const auto times = std::to_string(std::exchange(r.untold, 0));
  r.told_at = now;
  tell_({"warning",
         "http: " + peer + " was not authenticated" + (times == "1" ? "" : ", " + times + " times") + ": " + r.why,
         "http authentication failed",
         {{"peer", peer}, {"times", times}, {"why", r.why}}});
}

} // namespace steadfast::runtime
