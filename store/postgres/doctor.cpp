#include "store/postgres/doctor.hpp"

#include <algorithm>
#include <cstdlib>

namespace steadfast::store::postgres {
namespace {

constexpr std::int64_t oldest_version = 140000;
constexpr std::int64_t connections_for_others = 20;
constexpr std::int64_t bytes_behind_max = std::int64_t{64} << 20U;
constexpr std::int64_t keepalive_max = 60; ///< seconds

class findings {
public:
  explicit findings(const server_readings& r) : r_{r} {}

  void critical(const std::string& what, const std::string& cure) { all_.push_back({true, what, cure}); }
  void advice(const std::string& what, const std::string& cure) { all_.push_back({false, what, cure}); }

  std::string setting(const std::string& name) const {
    const auto found = r_.settings.find(name);
    return found == r_.settings.end() ? std::string{} : found->second;
  }
  /// 0 also for one that the server does not know.
  std::int64_t number(const std::string& name) const { return std::strtoll(setting(name).c_str(), nullptr, 10); }
  bool is_off(const std::string& name) const { return setting(name) == "off"; }

  std::vector<doctor_finding> all() {
    std::stable_partition(all_.begin(), all_.end(), [](const doctor_finding& f) { return f.is_critical; });
    return std::move(all_);
  }

private:
  const server_readings& r_;
  std::vector<doctor_finding> all_;
};

std::string to_set(const std::string& name, const std::string& value) {
  return "alter system set " + name + " = " + value + "; select pg_reload_conf();";
}

void check_servers(findings& f, const server_readings& r) {
  if (r.with_store.size() > 1)
    f.critical(r.with_store.front() + " and " + r.with_store.back() + " both take writes, and " + r.with_store.front()
                 + " has the newer store: was another a primary before?",
               "stop " + r.with_store.back()
                 + ", and let it join as a standby: pg_rewind, or a new copy by pg_basebackup");
}

void check_disk(findings& f) {
  if (f.is_off("fsync"))
    f.critical("fsync is off: a power cut loses commits that were acknowledged, and may destroy the database",
               to_set("fsync", "on"));
  if (f.is_off("full_page_writes"))
    f.critical("full_page_writes is off: a power cut in the middle of a page destroys it",
               to_set("full_page_writes", "on"));
  if (f.is_off("data_checksums"))
    f.advice("there are no data checksums: a damaged page is not noticed, and pg_rewind may refuse",
             "stop the server and run: pg_checksums --enable -D DATA");
  if (f.is_off("autovacuum"))
    f.critical("autovacuum is off: tables grow without bound", to_set("autovacuum", "on"));
}

void check_standbys(findings& f, const server_readings& r) {
  const auto commit = f.setting("synchronous_commit");
  if (commit != "on" && commit != "remote_apply")
    f.advice("synchronous_commit is " + commit + ": nodes set it to on for themselves, others do not",
             to_set("synchronous_commit", "on"));
  if (f.setting("synchronous_standby_names").empty()) {
    f.critical("no commit waits for a standby: whoever loses this machine loses acknowledged commits",
               "set up two standbys and: " + to_set("synchronous_standby_names", "'ANY 1 (s1, s2)'")
                 + " -- or let Patroni do it, with synchronous_mode_strict");
    return;
  }
  if (!r.may_see_standbys) {
    f.advice("the role " + r.role + " may not see the standbys, so nothing can be said of them",
             "grant pg_read_all_stats to " + r.role + ";");
    return;
  }
  const auto counts = [](const standby_reading& s) { return s.is_waited_for && s.is_streaming; };
  const auto ready = std::count_if(r.standbys.begin(), r.standbys.end(), counts);
  const auto streaming =
    std::count_if(r.standbys.begin(), r.standbys.end(), [](const standby_reading& s) { return s.is_streaming; });
  if (ready == 0)
    f.critical("commits wait for a standby of synchronous_standby_names (" + f.setting("synchronous_standby_names")
                 + "), and none of them is connected: no commit returns",
               "start the standby; its primary_conninfo must say application_name=NAME");
  else if (streaming == 1)
    f.advice("there is only one standby: while it is away no commit can be made", "set up a second one");
  for (const auto& s : r.standbys)
    if (counts(s) && s.bytes_behind > bytes_behind_max)
      f.advice("the standby " + s.name + " is " + std::to_string(s.bytes_behind >> 20U) + " MiB behind",
               "look at its disk and its network: commits wait for it");
}

void check_sessions(findings& f, const server_readings& r) {
  if (f.number("idle_in_transaction_session_timeout") == 0)
    f.advice("idle_in_transaction_session_timeout is 0: a forgotten transaction lets tables grow as long as it lives",
             to_set("idle_in_transaction_session_timeout", "'60s'"));
  if (const auto idle = f.number("tcp_keepalives_idle"); idle == 0 || idle > keepalive_max)
    f.advice("tcp_keepalives_idle is " + std::to_string(idle)
               + " s: the sessions of a machine that is gone stay for long, with their locks",
             to_set("tcp_keepalives_idle", "5"));
  if (f.number("client_connection_check_interval") == 0)
    f.advice("client_connection_check_interval is 0: a session that works does not notice that its client is gone",
             to_set("client_connection_check_interval", "'1s'"));
  const auto partitions = r.store.card ? r.store.card->partitions : partitions_default;
  const auto needed = partitions + connections_for_others + f.number("superuser_reserved_connections");
  if (f.number("max_connections") < needed)
    f.critical("max_connections is " + f.setting("max_connections") + ": each of " + std::to_string(partitions)
                 + " partitions has one, and its next owner another",
               "alter system set max_connections = " + std::to_string(needed + partitions)
                 + "; then restart the server");
}

void check_role(findings& f, const server_readings& r, const std::string& schema) {
  for (const auto& power : r.powers)
    f.advice("the role " + r.role + " may " + power + ", which a store has no use for",
             "make a role for it: create role steadfast login; alter schema " + schema + " owner to steadfast;");
  for (const auto& more : r.more_schemas)
    f.advice("the role " + r.role + " also owns the schema " + more, "make a role for the store alone");
  if (r.store.has_schema && !r.owns_schema)
    f.advice("the role " + r.role + " does not own the schema " + schema + ", so `steadfast store upgrade` will fail",
             "alter schema " + schema + " owner to " + r.role + ";");
  if (!r.is_encrypted)
    f.advice("the connection is not encrypted: who can listen reads tasks", "add sslmode=verify-full to the URL");
}

} // namespace

std::vector<doctor_finding> doctor_findings(const server_readings& r, const std::string& schema) {
  findings f{r};
  if (r.version < oldest_version)
    f.critical("the server's version is " + std::to_string(r.version / 10000)
                 + ", and 14 is the oldest that is known to do",
               "upgrade it");
  if (const auto trouble = trouble_of(r.store, schema); !trouble.what.empty())
    f.critical(trouble.what, trouble.cure);
  check_servers(f, r);
  check_disk(f);
  check_standbys(f, r);
  check_sessions(f, r);
  check_role(f, r, schema);
  return f.all();
}

} // namespace steadfast::store::postgres
