#include "runtime/configuration/config_file.hpp"
#include "runtime/configuration/schedule_file.hpp"

#include "runtime/configuration/workflow_file.hpp"
#include "runtime/toml/toml_parts.hpp"
#include "workflow/task/partition.hpp"
#include "workflow/text/name.hpp"

namespace steadfast {
namespace {

namespace fs = std::filesystem;
using runtime::parse_toml;
using runtime::read_retry;
using runtime::read_text_file;
using runtime::toml_report;
using runtime::toml_section;

void read_secret(toml_section& s, std::string_view key, runtime::secret& into) {
  const auto* const value = s.take(key);
  if (value == nullptr)
    return;
  if (const auto* where = value->as_table()) {
    if (auto found = runtime::read_secret(s, key, *where))
      into = std::move(*found);
  } else {
    s.complain(key, "must be { env = \"NAME\" } or { file = \"path\" }");
  }
}

void read_store(toml_section s, node_options& o) {
  s.read("path", o.store.path);
  s.read_count("partitions", o.partitions, 1U, workflow::partitions_max);
  s.read_size("size_max", o.store.size_max);
  s.read_size("size_reserve", o.store.size_reserve);
  s.read_size("journal_max", o.store.journal_max);
  s.read_size("payload_size_max", o.store.payload_size_max);
  s.read_size("result_size_max", o.store.result_size_max);
  s.read_count("backlog_max", o.backlog_max);
  s.read("url", o.store_server.url);
  s.read("schema", o.store_server.schema);
  s.read("lease", o.store_server.lease);
  read_secret(s, "password", o.store_server.password);
  s.end();
  o.socket = o.store.path / "control.sock";
}

void read_lease(toml_section s, workflow::lease_terms& into) {
  s.read("ttl", into.ttl);
  s.read("renew_every", into.renew_every);
  s.read("margin", into.margin);
  s.read("needs_progress", into.needs_progress);
  s.end();
}

void read_scheduler(toml_section s, node_options& o) {
  s.read_count("in_flight_max", o.in_flight_max, 1U, 1'000'000U);
  s.end();
}

void read_supervisor(toml_section s, node_options& o) {
  s.read("period", o.supervisor_period);
  s.read("slack", o.supervisor_slack);
  if (auto lease = s.section("lease"))
    read_lease(*lease, o.supervisor_lease);
  s.end();
}

void read_conditions(toml_section s, node_options& o) {
  auto& rules = o.conditions;
  s.read("period", o.conditions_period);
  s.read_count("store_used", rules.store_used_percent, 1U, 100U);
  s.read_size("disk_free", rules.disk_free_min);
  s.read_count("failing_above", rules.failing.margin_percent, 1U, 100U);
  s.read_count("failing_after", rules.failing.at_least, 1U);
  s.read("suspended_for", rules.suspended_max);
  s.end();
}

workflow::retention read_kept(toml_section& s) {
  workflow::retention keep;
  workflow::span keep_for{0};
  std::uint64_t keep_at_most = 0;
  s.read("keep_for", keep_for);
  s.read_count("keep_at_most", keep_at_most);
  if (s.table().contains("keep_for"))
    keep.keep_for = keep_for;
  if (s.table().contains("keep_at_most"))
    keep.keep_at_most = keep_at_most;
  return keep;
}

void read_retention(toml_section s, workflow::retention_rules& into) {
  into.others = read_kept(s);
  for (auto& x : s.sections("workflow")) {
    workflow::retention_rules::own own;
    x.read("name", own.workflow);
    own.keep = read_kept(x);
    x.end();
    into.workflows.push_back(std::move(own));
  }
  s.end();
}

void read_bulk(toml_section s, node_options& o) {
  s.read_count("rate", o.bulk_rate, 1U, 100'000U);
  s.read_count("open_max", o.store.bulk_open_max, 1U, 100U);
  s.read("keep_for", o.store.bulk_keep_for);
  s.end();
}

void read_events(toml_section s, node_options& o) {
  s.read("keep_for", o.store.events_keep_for);
  s.end();
}

void read_roles(toml_section& s, workflow::node_roles& into) {
  std::vector<std::string> names;
  s.read("roles", names);
  if (!s.table().contains("roles"))
    return;
  if (const auto roles = workflow::parse_roles(names))
    into = *roles;
  else
    s.complain("roles", "must be a list of `store`, `scheduler`, `supervisor` and `agents`");
}

void read_cluster(toml_section s, cluster_options& o) {
  s.read("listen", o.listen);
  s.read("advertise", o.advertise);
  s.read("join", o.join);
  s.read("certificate", o.certificate);
  s.read("key", o.key);
  s.read("authority", o.authority);
  s.read("private_network", o.private_network);
  if (auto lease = s.section("lease"))
    read_lease(*lease, o.lease);
  s.end();
}

void read_http_server(toml_section s, http_server_options& o) {
  s.read("listen", o.listen);
  s.read("tokens", o.tokens);
  s.read("certificate", o.certificate);
  s.read("key", o.key);
  s.read("authority", o.authority);
  s.read("certificate_scopes", o.certificate_scopes);
  s.read("names", o.names);
  s.read("origins", o.origins);
  s.read_count("connections_max", o.connections_max, 1U, 1'000'000U);
  s.read_count("rate_max", o.rate_max, 0U, 1'000'000U);
  s.read_size("body_size_max", o.body_size_max);
  s.read("log_submissions", o.logs_submissions);
  s.end();
}

void read_control(toml_section s, node_options& o) {
  s.read("socket", o.socket);
  s.end();
}

void read_log(toml_section s, log_options& o) {
  std::string format = o.json ? "json" : "text";
  s.read_one_of("level", o.level, {"trace", "debug", "info", "warning", "error", "off"});
  s.read_one_of("format", format, {"text", "json"});
  s.read("file", o.file);
  s.end();
  o.json = format == "json";
}

void read_shutdown(toml_section s, node_options& o) {
  s.read("drain_limit", o.drain_limit);
  s.end();
}

// ---- agents ----

void read_circuit(toml_section s, actors::circuit_options& o) {
  s.read_count("failures", o.failures);
  s.read("open_for", o.open_for);
  s.read_count("trials", o.trials, 1U);
  s.end();
}

void read_common(toml_section& s, actors::agent_options& o) {
  s.read("name", o.name);
  read_retry(s, "retry", o.retry);
  if (auto circuit = s.section("circuit"))
    read_circuit(*circuit, o.circuit);
  s.read_count("concurrency", o.concurrency, 1U, 100'000U);
  s.read_count("queue", o.queue, 1U, 1'000'000U);
  s.read_count("rate_per_second", o.rate_per_second, 0U, 1'000'000U);
  s.read_count("burst", o.burst, 1U, 1'000'000U);
  s.read("call_limit", o.call_limit);
  s.read_size("result_size_max", o.result_size_max);
  s.read_size("inputs_size_max", o.inputs_size_max);
}

fs::path under(const fs::path& folder, const fs::path& p) {
  return p.empty() || p.is_absolute() ? p : (folder / p).lexically_normal();
}

/// A path that is a text in the options of an agent, which check that it exists.
void read_path(toml_section& s, std::string_view key, std::string& into) {
  s.read(key, into);
  into = under(s.report().folder(), into).string();
}

using secret_texts = std::map<std::string, runtime::secret>;

actors::http_options read_receiver(toml_section& s, secret_texts& secrets) {
  actors::http_options o;
  s.read("url", o.url);
  s.read("headers", o.headers, secrets);
  s.read("connect_limit", o.connect_limit);
  read_path(s, "ca_file", o.ca_file);
  s.read("proxy", o.proxy);
  s.read("allow_link_local", o.allow_link_local);
  return o;
}

actors::program_options read_program(toml_section& s, secret_texts& secrets) {
  actors::program_options o;
  s.read("program", o.program);
  s.read("arguments", o.arguments);
  s.read("environment", o.environment, secrets);
  read_path(s, "directory", o.directory);
  s.read("allow_root", o.allow_root);
  return o;
}

actors::http_options read_http(toml_section& s, agent_entry& a) {
  auto o = read_receiver(s, a.secrets);
  s.read("method", o.method);
  s.read("permanent", o.permanent);
  s.read("transient", o.transient);
  return o;
}

actors::program_options read_program_agent(toml_section& s, agent_entry& a) {
  auto o = read_program(s, a.secrets);
  s.read("transient_exits", o.transient_exits);
  auto denied_exit = static_cast<std::uint32_t>(o.denied_exit);
  s.read_count("denied_exit", denied_exit, 1U, 255U);
  o.denied_exit = static_cast<std::int32_t>(denied_exit);
  s.read_size("output_max", o.output_max);
  return o;
}

void complain_all(toml_section& s, const std::vector<std::string>& problems) {
  for (const auto& p : problems)
    s.complain(p);
}

void read_agent(toml_section s, node_options& o) {
  agent_entry a;
  read_common(s, a.common);
  const bool has_program = s.table().contains("program");
  const bool has_url = s.table().contains("url");
  if (has_program)
    a.kind = read_program_agent(s, a);
  else
    a.kind = read_http(s, a);
  s.end();
  if (has_program == has_url) {
    s.complain(has_url ? "has both a url and a program: it must be one agent or the other"
                       : "has neither a url nor a program");
    complain_all(s, actors::problems(a.common));
  } else {
    complain_all(s, problems(a));
  }
  o.agents.push_back(std::move(a));
}

// ---- webhooks ----

void read_events(toml_section& s, std::vector<workflow::outward_event>& into) {
  std::vector<std::string> names;
  s.read("events", names);
  for (const auto& name : names)
    if (const auto e = workflow::parse_outward_event(name))
      into.push_back(*e);
    else
      s.complain("events", "there is no " + workflow::quoted(name) + "; there are " + workflow::outward_event_rule);
}

void read_webhook(toml_section s, node_options& o) {
  webhook_entry w;
  s.read("name", w.what.webhook);
  read_events(s, w.what.events);
  s.read("workflows", w.what.workflows);
  const bool has_program = s.table().contains("program");
  const bool has_url = s.table().contains("url");
  if (has_program)
    w.kind = read_program(s, w.secrets);
  else
    w.kind = read_receiver(s, w.secrets);
  read_secret(s, "secret", w.key);
  read_secret(s, "old_secret", w.old_key);
  if (auto retry = s.section("retry")) {
    retry->read("initial", w.delivery.retry.initial);
    retry->read("cap", w.delivery.retry.cap);
    retry->end();
  }
  s.read_count("concurrency", w.delivery.at_once, 1U);
  s.read("call_limit", w.call_limit);
  s.read("give_up_after", w.delivery.give_up_after);
  s.end();
  if (has_program == has_url)
    s.complain(has_url ? "has both a url and a program: it must be one or the other"
                       : "has neither a url nor a program");
  else
    complain_all(s, problems(w));
  o.webhooks.push_back(std::move(w));
}

void read_tracing(toml_section s, node_options& o) {
  auto& to = o.tracing;
  to.collector = read_receiver(s, to.secrets);
  s.read_share("sample", to.sampled_percent, 0, 1);
  s.read_count("tasks_max", to.tasks_max, std::size_t{1}, std::size_t{1'000'000});
  s.end();
  o.log.traces = to.is_used();
}

// ---- all ----

void read_root(toml_section& s, parsed_config& parsed) {
  auto& o = parsed.options;
  std::vector<std::string> workflows;
  s.read("name", o.name);
  s.read_count("threads", o.threads, 0U, 1024U);
  read_roles(s, o.roles);
  s.read("workflows", workflows);
  parsed.workflows.assign(workflows.begin(), workflows.end());
  if (auto x = s.section("store"))
    read_store(*x, o);
  if (auto x = s.section("cluster"))
    read_cluster(*x, o.cluster);
  if (auto x = s.section("http"))
    read_http_server(*x, o.http);
  if (auto x = s.section("scheduler"))
    read_scheduler(*x, o);
  if (auto x = s.section("supervisor"))
    read_supervisor(*x, o);
  if (auto x = s.section("conditions"))
    read_conditions(*x, o);
  if (auto x = s.section("retention"))
    read_retention(*x, o.retention);
  if (auto x = s.section("bulk"))
    read_bulk(*x, o);
  if (auto x = s.section("events"))
    read_events(*x, o);
  if (auto x = s.section("control"))
    read_control(*x, o);
  if (auto x = s.section("log"))
    read_log(*x, o.log);
  if (auto x = s.section("tracing"))
    read_tracing(*x, o);
  if (auto x = s.section("shutdown"))
    read_shutdown(*x, o);
  for (auto& x : s.sections("agent"))
    read_agent(x, o);
  for (auto& x : s.sections("webhook"))
    read_webhook(x, o);
  s.end();
}

// The line of the key with which the sentence begins, so that "supervisor.period must ..." gets its line.
std::size_t line_of(const toml::table& root, const std::string& sentence) {
  const auto key = sentence.substr(0, sentence.find_first_of(" :"));
  const auto node = root.at_path(key);
  return node ? node.node()->source().begin.line : 1;
}

} // namespace

parsed_config parse_config(std::string_view text, const std::string& file) {
  toml_report report{file};
  const auto table = parse_toml(text, file);
  parsed_config parsed;
  toml_section root{table, "", report};
  read_root(root, parsed);
  report.throw_if_any();
  for (const auto& p : problems(parsed.options))
    report.add(line_of(table, p), "", p);
  report.throw_if_any();
  parsed.keys_known = report.known();
  parsed.keys_seen = report.seen();
  return parsed;
}

node_options load_config(const fs::path& file) {
  auto parsed = parse_config(read_text_file(file), file.string());
  const auto folder = file.parent_path();
  auto o = std::move(parsed.options);
  o.socket = under(folder, o.socket);
  o.store.path = under(folder, o.store.path);
  o.log.file = under(folder, o.log.file);
  for (auto* path : {&o.cluster.certificate, &o.cluster.key, &o.cluster.authority, &o.http.certificate, &o.http.key,
                     &o.http.authority, &o.http.tokens})
    *path = under(folder, *path);
  for (auto& w : parsed.workflows)
    w = under(folder, w);
  o.workflows = load_workflows(parsed.workflows, &o.workflow_files);
  o.schedules = load_schedules(parsed.workflows);
  return o;
}

config_places places_in_config(const fs::path& file) {
  const auto table = parse_toml(read_text_file(file), file.string());
  const node_options defaults;
  const fs::path store = table["store"]["path"].value_or(defaults.store.path.string());
  const fs::path socket = table["control"]["socket"].value_or((store / "control.sock").string());
  const bool is_on_server = table["store"]["url"].value_or(std::string{}) != "";
  return {under(file.parent_path(), store), under(file.parent_path(), socket), is_on_server,
          table["store"]["partitions"].value<std::int64_t>()};
}

} // namespace steadfast
