#include "store/postgres/schema.hpp"

#include "store/contract/state_store.hpp"
#include "store/postgres/kept_rows.hpp"

namespace steadfast::store::postgres {

std::string log_table(std::int64_t partition, int which) {
  return "log_" + std::to_string(partition) + "_" + std::to_string(which);
}

namespace {

constexpr const char* our_product = "steadfast";

std::string cure_of_rights(const std::string& schema, const std::string& role) {
  return "let its owner, or a superuser, say: alter schema " + schema + " owner to " + role
         + "; the tables in it need the same";
}

/// With the name of the schema: a schema that the role may not use is left out of the search path, and the table would
/// be a temporary one.
std::string new_table(const std::string& schema, const std::string& name) {
  return "create table " + schema + "." + name;
}

/// The rows of ended tasks are marked by `ended`: a takeover passes them over, and whoever looks for one finds it by
/// its number.
void add_mark(std::vector<statement>& to, const std::string& schema, std::int64_t partition) {
  const auto table = kept_table(partition);
  const auto on = " on " + schema + "." + table;
  to.push_back({"create index " + table + "_living" + on + " (in_table, key) where ended is null", {}});
  to.push_back({"create index " + table + "_ended" + on + " (ended, in_table) where ended is not null", {}});
}

/// Logs have no index and no dead rows: they are written in turn, and emptied whole. A commit is one value, which is
/// kept outside of the table's rows, uncompressed.
void add_tables_of_partitions(std::vector<statement>& to, const std::string& schema, std::int64_t partitions) {
  to.push_back({new_table(schema, "kept_until") + " (number bigint primary key, commit_number bigint not null)", {}});
  for (std::int64_t p = 0; p < partitions; ++p) {
    to.push_back({new_table(schema, kept_table(p))
                    + " (in_table smallint not null, key bytea not null, value bytea not null, ended bigint,"
                      " primary key (in_table, key))",
                  {}});
    add_mark(to, schema, p);
    for (const int which : {0, 1}) {
      to.push_back({new_table(schema, log_table(p, which))
                      + " (commit_number bigint not null, changes bytea not null)"
                        " with (autovacuum_enabled = off, toast.autovacuum_enabled = off)",
                    {}});
      to.push_back({"alter table " + log_table(p, which) + " alter column changes set storage external", {}});
    }
  }
}

making_answer what_was_made(const reply& r, const std::string& schema) {
  switch (end_of(r)) {
    case transaction_end::made: return {making::made, {}};
    case transaction_end::unknown: return {making::unknown, why(r)};
    case transaction_end::refused: break;
  }
  const bool is_about_rights = r.why_not->code == "42501";
  return {making::refused, why(r)
                             + (is_about_rights ? ": let a superuser make the schema for this role: create schema "
                                                    + schema + " authorization the_role"
                                                : "")};
}

constexpr std::string_view moved_product = "steadfast, moved to ";

} // namespace

std::string product_moved_to(const std::string& where) {
  return std::string{moved_product} + where;
}

store_trouble trouble_of(const found_store& found, const std::string& schema) {
  const auto named = "the schema " + schema;
  if (!found.no_rights_for.empty())
    return {"the role " + found.no_rights_for + " may not read " + named, cure_of_rights(schema, found.no_rights_for)};
  if (!found.has_tables)
    return {"there is no store in " + named, "`steadfast store init --url URL` makes one"};
  if (found.card && found.card->product.starts_with(moved_product))
    return {"the store in " + named + " was moved to " + found.card->product.substr(moved_product.size()),
            "start its nodes on that one. When nothing here is needed any more, drop the schema"};
  if (!found.card || found.card->product != our_product)
    return {named + " belongs to another product, or is damaged"
              + (found.why_no_card.empty() ? "" : " (" + found.why_no_card + ")"),
            "give another with --schema NAME"};
  if (found.card->version > schema_version)
    return {named + " has version " + std::to_string(found.card->version) + ", and this build knows only up to "
              + std::to_string(schema_version),
            "run the newer release"};
  if (found.card->version < schema_version)
    return {named + " has version " + std::to_string(found.card->version) + ", and this build needs "
              + std::to_string(schema_version),
            "`steadfast store upgrade --url URL` brings it up to date"};
  if (found.card->partitions < 1 || found.card->partitions > partitions_max || found.card->identity.empty())
    return {named + " is damaged, and names no store, or " + std::to_string(found.card->partitions) + " partitions",
            "restore it from a backup"};
  return {};
}

std::string why_not_usable(const found_store& found, const std::string& schema) {
  const auto trouble = trouble_of(found, schema);
  return trouble.what.empty() ? "" : trouble.what + ": " + trouble.cure;
}

std::string why_not_made_here(const found_store& found, const std::string& schema) {
  if (!found.no_rights_for.empty() || !found.has_tables)
    return found.no_rights_for.empty() ? std::string{} : why_not_usable(found, schema);
  const auto usable = why_not_usable(found, schema);
  return usable.empty() ? "there is a store in the schema " + schema + " already, of "
                            + std::to_string(found.card->partitions) + " partitions: nothing was changed"
                        : usable;
}

std::vector<statement> statements_of_init(const std::string& schema, bool has_schema, const std::string& identity,
                                          std::int64_t partitions) {
  std::vector<statement> all;
  if (!has_schema)
    all.push_back({"create schema " + schema, {}});
  all.push_back({new_table(schema, "store")
                   + " (only_one boolean primary key default true check (only_one), product text not null,"
                     " version bigint not null, identity text not null, partitions bigint not null)",
                 {}});
  // Few rows, each locked by each commit of its partition: room for many versions on its page.
  all.push_back({new_table(schema, "partition_owner")
                   + " (number bigint primary key, epoch bigint not null, holder text not null)"
                     " with (fillfactor = 10)",
                 {}});
  all.push_back(
    {"insert into partition_owner select n, 0, '' from generate_series(0, $1 - 1) n", {number(partitions)}});
  add_tables_of_partitions(all, schema, partitions);
  all.push_back({"insert into store (product, version, identity, partitions) values ($1, $2, $3, $4)",
                 {text(our_product), number(schema_version), text(identity), number(partitions)}});
  return all;
}

std::vector<statement> statements_of_upgrade(const store_card& from, const std::string& schema) {
  std::vector<statement> all;
  if (from.version == 1) { // it had logs of another form, and no node that wrote to them
    for (std::int64_t p = 0; p < from.partitions; ++p)
      for (const int which : {0, 1})
        all.push_back({"drop table " + log_table(p, which), {}});
    add_tables_of_partitions(all, schema, from.partitions);
  } else { // it had no mark; the next owner marks the tasks that ended by then
    for (std::int64_t p = 0; p < from.partitions; ++p) {
      all.push_back({"alter table " + kept_table(p) + " add column ended bigint", {}});
      add_mark(all, schema, p);
    }
  }
  all.push_back({"update store set version = $1", {number(schema_version)}});
  return all;
}

found_store find_store(connection& c, const std::string& schema) {
  found_store found;
  const auto names = c.read({{"select exists(select from pg_catalog.pg_namespace where nspname = $1),"
                              " exists(select from pg_catalog.pg_class r join pg_catalog.pg_namespace n"
                              " on n.oid = r.relnamespace where n.nspname = $1 and r.relname = 'store'),"
                              " current_user::text",
                              {text(schema)}}});
  found.has_schema = names[0].number(0, 0) != 0;
  found.has_tables = names[0].number(0, 1) != 0;
  if (!found.has_tables)
    return found;
  const auto r = c.run({{"select product, version, identity, partitions from " + schema + ".store", {}}});
  if (!r.is_complete)
    throw store_error{"PostgreSQL at " + c.server() + " could not be asked: " + why(r), false};
  if (r.why_not && r.why_not->code == "42501")
    found.no_rights_for = names[0].text(0, 2);
  else if (r.why_not)
    found.why_no_card = r.why_not->text;
  else if (const auto& rows = r.results[0]; rows.size() == 1)
    found.card = store_card{rows.text(0, 0), rows.number(0, 1), rows.text(0, 2), rows.number(0, 3)};
  return found;
}

making_answer make_store(connection& c, const std::string& schema, const std::string& identity,
                         std::int64_t partitions) {
  const auto found = find_store(c, schema);
  if (auto refused = why_not_made_here(found, schema); !refused.empty())
    return {making::refused, std::move(refused)};
  return what_was_made(c.run(statements_of_init(schema, found.has_schema, identity, partitions)), schema);
}

making_answer upgrade_store(connection& c, const std::string& schema) {
  const auto found = find_store(c, schema);
  const bool is_older = found.card && found.card->product == our_product && found.card->version >= 1
                        && found.card->version < schema_version;
  if (!is_older) {
    if (auto refused = why_not_usable(found, schema); !refused.empty())
      return {making::refused, std::move(refused)};
    return {making::made,
            "the schema has version " + std::to_string(schema_version) + " already: there is nothing to do"};
  }
  return what_was_made(c.run(statements_of_upgrade(*found.card, schema)), schema);
}

} // namespace steadfast::store::postgres
