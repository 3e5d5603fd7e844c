// Reads what doctor.cpp checks.

#include "store/postgres/doctor.hpp"

namespace steadfast::store::postgres {
namespace {

statement settings_asked() {
  return {"select name, coalesce(reset_val, setting) from pg_catalog.pg_settings where name = any(array['fsync',"
          " 'full_page_writes', 'data_checksums', 'autovacuum', 'synchronous_commit', 'synchronous_standby_names',"
          " 'idle_in_transaction_session_timeout', 'tcp_keepalives_idle', 'client_connection_check_interval',"
          " 'max_connections', 'superuser_reserved_connections', 'server_version_num'])",
          {}};
}

/// Who may not see a standby sees its row without a state.
statement standbys_asked() {
  return {"select coalesce(application_name, ''), coalesce(state = 'streaming', false),"
          " coalesce(sync_state in ('sync', 'quorum'), false),"
          " coalesce(pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), flush_lsn), 0)::bigint, state is null"
          " from pg_catalog.pg_stat_replication",
          {}};
}

statement role_asked() {
  return {"select rolname::text, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls"
          " from pg_catalog.pg_roles where rolname = current_user",
          {}};
}

statement schemas_asked() {
  return {"select n.nspname::text from pg_catalog.pg_namespace n join pg_catalog.pg_roles r on r.oid = n.nspowner"
          " where r.rolname = current_user and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' order by 1",
          {}};
}

statement connection_asked() {
  return {"select coalesce((select ssl from pg_catalog.pg_stat_ssl where pid = pg_catalog.pg_backend_pid()), false)"
          " or pg_catalog.inet_client_addr() is null or pg_catalog.inet_client_addr() = pg_catalog.inet_server_addr()",
          {}};
}

} // namespace

server_readings read_server(connection& c, const std::string& schema) {
  server_readings r;
  const auto found = c.read({settings_asked(), standbys_asked(), role_asked(), schemas_asked(), connection_asked()});
  for (std::size_t i = 0; i < found[0].size(); ++i)
    r.settings[found[0].text(i, 0)] = found[0].text(i, 1);
  r.version = std::stoll("0" + r.settings["server_version_num"]);
  for (std::size_t i = 0; i < found[1].size(); ++i) {
    const auto& rows = found[1];
    r.standbys.push_back({rows.text(i, 0), rows.number(i, 1) != 0, rows.number(i, 2) != 0, rows.number(i, 3)});
    r.may_see_standbys = r.may_see_standbys && rows.number(i, 4) == 0;
  }
  r.role = found[2].size() == 1 ? found[2].text(0, 0) : "";
  const char* const powers[] = {"do everything, as a superuser", "make databases", "make roles",
                                "copy the whole server", "pass by rules of row security"};
  for (std::size_t i = 0; i < std::size(powers); ++i)
    if (found[2].size() == 1 && found[2].number(0, i + 1) != 0)
      r.powers.emplace_back(powers[i]);
  r.owns_schema = false;
  for (std::size_t i = 0; i < found[3].size(); ++i)
    if (found[3].text(i, 0) == schema)
      r.owns_schema = true;
    else
      r.more_schemas.push_back(found[3].text(i, 0));
  r.is_encrypted = found[4].number(0, 0) != 0;
  r.store = find_store(c, schema);
  return r;
}

} // namespace steadfast::store::postgres
