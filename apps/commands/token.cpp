// Who may ask a node over HTTP.

#include "apps/command_line/commands.hpp"
#include "apps/command_line/filter.hpp"
#include "apps/terminal/failure.hpp"
#include "apps/terminal/table.hpp"
#include "runtime/http/access_tokens.hpp"
#include "runtime/text/quantity.hpp"
#include "runtime/text/time_text.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace steadfast::apps {
namespace {

using nlohmann::json;
using runtime::access_token;

struct token_arguments {
  std::string file = "tokens.json";
  std::string name;
  std::vector<std::string> scopes;
  std::vector<std::string> workflows;
  std::vector<std::string> roles;
  std::string expires;
  bool json = false;
};

std::vector<std::string> names_of(const std::vector<api::scope>& scopes) {
  std::vector<std::string> names;
  for (const auto s : scopes)
    names.emplace_back(api::to_string(s));
  return names;
}

int create(const token_arguments& g) {
  auto all = runtime::read_tokens(g.file);
  if (std::any_of(all.begin(), all.end(), [&](const access_token& t) { return t.name == g.name; }))
    throw failure{wrong_usage, g.file + " has a token of the name `" + g.name
                                 + "`: revoke it first, or give the new one another name"};
  if (g.scopes.empty() && g.roles.empty())
    throw failure{wrong_usage, "give --scope, or --role with the roles whose questions it answers"};
  access_token t;
  t.name = g.name;
  for (const auto& s : g.scopes)
    t.scopes.push_back(api::parse_scope(s).value());
  t.workflows = g.workflows;
  t.roles = g.roles;
  t.made_at = wall_clock();
  if (!g.expires.empty()) {
    const auto span = runtime::parse_span(g.expires);
    if (!span)
      throw failure{wrong_usage,
                    "--expires: `" + g.expires + "` is not a duration: write " + std::string{runtime::span_rule}};
    t.expires_at = t.made_at + *span;
  }
  const auto token = runtime::make_token(t);
  all.push_back(t);
  runtime::write_tokens(g.file, all);
  std::cout << token << '\n';
  std::cerr << "This is the only time that the token is shown. Nodes with `http.tokens` at " << g.file
            << " take it from now on.\n";
  return done;
}

json json_of(const access_token& t, const std::map<std::string, workflow::instant>& uses) {
  const auto at = [](workflow::instant when) { return when == workflow::never ? json{} : json(utc_text(when)); };
  const auto used = uses.find(t.id);
  return {{"id", t.id},
          {"name", t.name},
          {"scopes", names_of(t.scopes)},
          {"workflows", t.workflows},
          {"roles", t.roles},
          {"made_at", at(t.made_at)},
          {"expires_at", at(t.expires_at)},
          {"last_used_at", used == uses.end() ? json{} : at(used->second)}};
}

std::vector<cell> row_of(const access_token& t, const std::map<std::string, workflow::instant>& uses) {
  const bool is_over = t.expires_at <= wall_clock();
  const auto used = uses.find(t.id);
  return {t.id,
          t.name,
          workflow::joined(names_of(t.scopes), ", "),
          workflow::joined(t.roles, ", "),
          t.workflows.empty() ? "all" : workflow::joined(t.workflows, ", "),
          local_text(t.made_at),
          t.expires_at == workflow::never ? cell{"never"}
                                          : cell{local_text(t.expires_at), is_over ? colour::bad : colour::plain},
          used == uses.end() ? "never" : local_text(used->second)};
}

int list(const token_arguments& g) {
  const auto all = runtime::read_tokens(g.file);
  const auto uses = runtime::last_uses(g.file);
  table rows{{"id", "name", "scopes", "roles", "workflows", "made", "expires", "last used"}};
  for (const auto& t : all) {
    if (g.json)
      std::cout << json_of(t, uses).dump() << '\n';
    rows.add(row_of(t, uses));
  }
  if (!g.json)
    std::cout << (rows.empty() ? "there is no token in " + g.file + "\n" : rows.text(standard_output()));
  return done;
}

int revoke(const token_arguments& g) {
  auto all = runtime::read_tokens(g.file);
  if (std::erase_if(all, [&](const access_token& t) { return t.name == g.name || t.id == g.name; }) == 0)
    throw failure{not_found, g.file + " has no token `" + g.name + "`"};
  runtime::write_tokens(g.file, all);
  std::cout << "token " << printable(g.name) << " is revoked; nodes refuse it from now on\n";
  return done;
}

/// For CLI11.
std::string why_no_role(const std::string& text) {
  return workflow::is_name(text) ? "" : "`" + text + "` is not a valid role: write " + std::string{workflow::name_rule};
}

void add_file(CLI::App& to, token_arguments& g) {
  to.add_option("--file", g.file, "The file of tokens, `http.tokens` of the nodes [tokens.json]")->type_name("FILE");
}

} // namespace

void add_token(CLI::App& to, command& chosen) {
  auto* token = to.add_subcommand("token", "Access tokens for the HTTP API");
  token->require_subcommand(1);

  auto made = std::make_shared<token_arguments>();
  auto* sub = token->add_subcommand("create", "Create a token, and show it once");
  sub->add_option("name", made->name, "Its name: acts with the token are recorded under it")
    ->required()
    ->check(why_empty, "")
    ->type_name("NAME");
  sub->add_option("--scope", made->scopes, "Scopes: submit, read, operate (acts on tasks, and read), admin (all)")
    ->delimiter(',')
    ->check(CLI::IsMember{{"submit", "read", "operate", "admin"}}, "")
    ->type_name("SCOPE");
  sub
    ->add_option("--role", made->roles,
                 "Allow it to see and answer the questions for this role; may be repeated [none]")
    ->delimiter(',')
    ->check(why_no_role, "")
    ->type_name("NAME");
  sub->add_option("--workflow", made->workflows, "Only tasks of this workflow; may be repeated [all]")
    ->delimiter(',')
    ->type_name("NAME");
  sub->add_option("--expires", made->expires, "How long it is valid [for ever]")->type_name("DURATION");
  add_file(*sub, *made);
  sub->footer("Only a hash of it is stored. Without --scope, a token with --role sees and answers these questions, and "
              "nothing else.\n\nExample: steadfast token create shop --scope submit --workflow order --expires 365d\n"
              "         steadfast token create ann --role sales,support");
  sub->callback([made, &chosen] { chosen = [made] { return create(*made); }; });

  auto listed = std::make_shared<token_arguments>();
  sub = token->add_subcommand("list", "All tokens, with their scopes and their last use");
  sub->add_flag("--json", listed->json, "One JSON object a line");
  add_file(*sub, *listed);
  sub->footer("Nodes record the last use once a minute.\n\nExample: steadfast token list");
  sub->callback([listed, &chosen] { chosen = [listed] { return list(*listed); }; });

  auto revoked = std::make_shared<token_arguments>();
  sub = token->add_subcommand("revoke", "Nodes refuse it at once");
  sub->add_option("name", revoked->name, "Its name or id")->required()->check(why_empty, "")->type_name("NAME");
  add_file(*sub, *revoked);
  sub->footer("Example: steadfast token revoke shop");
  sub->callback([revoked, &chosen] { chosen = [revoked] { return revoke(*revoked); }; });
}

} // namespace steadfast::apps
