#include "store/postgres/kept_rows.hpp"

#include <utility>

namespace steadfast::store::postgres {
namespace {

constexpr std::int64_t page_rows = 4096;

/// A statement for at most so many bytes of keys and values, or for one row.
constexpr std::size_t statement_bytes = std::size_t{1} << 20U;

struct columns {
  std::vector<std::int64_t> tables;
  std::vector<std::string_view> keys;
  std::vector<std::string_view> values;
  std::vector<std::int64_t> ended;
  std::size_t bytes = 0;
};

void put_statement(const std::string& table, columns& of, std::vector<statement>& into) {
  if (of.keys.empty())
    return;
  into.push_back({"insert into " + table
                    + " (in_table, key, value, ended)"
                      " select t::smallint, k, v, nullif(e, 0) from unnest($1, $2, $3, $4) u (t, k, v, e)"
                      " on conflict (in_table, key) do update set value = excluded.value, ended = excluded.ended",
                  {numbers(of.tables), blobs(of.keys), blobs(of.values), numbers(of.ended)}});
  of = {};
}

void erase_statement(const std::string& table, columns& of, std::vector<statement>& into) {
  if (of.keys.empty())
    return;
  into.push_back({"delete from " + table
                    + " r using unnest($1, $2) u (t, k)"
                      " where r.in_table = u.t::smallint and r.key = u.k and r.ended is null",
                  {numbers(of.tables), blobs(of.keys)}});
  of = {};
}

statement statement_of_marked(const std::string& what, std::int64_t partition, std::int64_t table,
                              const std::string& from, const std::string& end, std::int64_t most,
                              const std::vector<std::int64_t>& but) {
  return {"select " + what + " from " + kept_table(partition)
            + " where in_table = $1 and key >= $2 and key < $3 and ended is not null and ended <> all($4)"
              " order by key limit $5",
          {number(table), blob(from), blob(end), numbers(but), number(most)}};
}

} // namespace

std::string kept_table(std::int64_t partition) {
  return "kept_" + std::to_string(partition);
}

statement statement_of_until(std::int64_t partition) {
  return {"select commit_number from kept_until where number = $1", {number(partition)}};
}

statement statement_of_page(std::int64_t partition, const row_place& after) {
  return {"select in_table, key, value from " + kept_table(partition)
            + " where (in_table, key) > ($1::smallint, $2) and ended is null order by in_table, key limit $3",
          {number(after.table), blob(after.key), number(page_rows)}};
}

bool use_page(const rows& page, row_place& after, const row_user& use) {
  for (std::size_t i = 0; i < page.size(); ++i)
    use(page.number(i, 0), page.bytes(i, 1).value_or(std::string_view{}),
        page.bytes(i, 2).value_or(std::string_view{}));
  if (page.size() > 0)
    after = {page.number(page.size() - 1, 0), page.text(page.size() - 1, 1)};
  return page.size() == static_cast<std::size_t>(page_rows);
}

std::vector<statement> statements_to_keep(std::int64_t partition, const std::vector<row_change>& changes,
                                          std::int64_t until) {
  const auto table = kept_table(partition);
  std::vector<statement> all;
  columns come;
  columns go;
  for (const auto& c : changes) {
    auto& to = c.value ? come : go;
    to.tables.push_back(c.at.table);
    to.keys.emplace_back(c.at.key);
    to.values.emplace_back(c.value ? std::string_view{*c.value} : std::string_view{});
    to.ended.push_back(c.ended);
    to.bytes += c.at.key.size() + to.values.back().size();
    if (come.bytes >= statement_bytes)
      put_statement(table, come, all);
    if (go.bytes >= statement_bytes)
      erase_statement(table, go, all);
  }
  put_statement(table, come, all);
  erase_statement(table, go, all);
  all.push_back({"insert into kept_until (number, commit_number) values ($1, $2)"
                 " on conflict (number) do update set commit_number = excluded.commit_number",
                 {number(partition), number(until)}});
  return all;
}

statement statement_to_drop(std::int64_t partition, const std::vector<std::int64_t>& tasks) {
  return {"delete from " + kept_table(partition) + " where ended = any($1)", {numbers(tasks)}};
}

std::vector<statement> statements_to_unmark(std::int64_t partition, const std::vector<std::int64_t>& tasks,
                                            const std::vector<std::int64_t>& leaving_tables) {
  const auto table = kept_table(partition);
  return {{"delete from " + table + " where ended = any($1) and in_table = any($2)",
           {numbers(tasks), numbers(leaving_tables)}},
          {"update " + table + " set ended = null where ended = any($1)", {numbers(tasks)}}};
}

// ---- marked rows ----

statement statement_of_newest(std::int64_t partition, const marked_range& in, std::int64_t tasks,
                              const std::vector<std::int64_t>& of_tables) {
  const auto table = kept_table(partition);
  const bool by_number = in.before != 0;
  const std::string which =
    by_number ? "ended < $4 order by ended" : "key >= $4 and key < $5 and ended is not null order by key";
  statement s{"with n as (select ended from " + table + " where in_table = $3 and " + which
                + " desc limit $2) select r.ended, r.in_table, r.key, r.value from n join " + table
                + " r on r.ended = n.ended where r.in_table = any($1) order by r.ended desc",
              {numbers(of_tables), number(tasks), number(in.table)}};
  if (by_number) {
    s.parameters.push_back(number(in.before));
  } else {
    s.parameters.push_back(blob(in.from));
    s.parameters.push_back(blob(in.end));
  }
  return s;
}

statement statement_of_tasks(std::int64_t partition, const std::vector<std::int64_t>& tasks) {
  return {"select ended, in_table, key, value from " + kept_table(partition) + " where ended = any($1) order by ended",
          {numbers(tasks)}};
}

statement statement_of_tasks_with(std::int64_t partition, std::int64_t table, const std::vector<std::string>& keys) {
  const auto kept = kept_table(partition);
  return {"with n as (select distinct ended from " + kept
            + " where in_table = $1 and key = any($2) and ended is not null) select r.ended, r.in_table, r.key, r.value"
              " from n join "
            + kept + " r on r.ended = n.ended order by r.ended",
          {number(table), blobs({keys.begin(), keys.end()})}};
}

statement statement_of_owners(std::int64_t partition, const std::vector<row_place>& of) {
  std::vector<std::int64_t> tables;
  std::vector<std::string_view> keys;
  for (const auto& r : of) {
    tables.push_back(r.table);
    keys.emplace_back(r.key);
  }
  return {"select distinct r.ended from unnest($1, $2) u (t, k) join " + kept_table(partition)
            + " r on r.in_table = u.t::smallint and r.key = u.k where r.ended is not null",
          {numbers(tables), blobs(keys)}};
}

statement statement_of_keys(std::int64_t partition, std::int64_t table, const std::string& from, const std::string& end,
                            std::int64_t most, const std::vector<std::int64_t>& but) {
  return statement_of_marked("key", partition, table, from, end, most, but);
}

statement statement_of_entries(std::int64_t partition, std::int64_t table, const std::string& from,
                               const std::string& end, std::int64_t most, const std::vector<std::int64_t>& but) {
  return statement_of_marked("key, value", partition, table, from, end, most, but);
}

statement statement_of_those_there(std::int64_t partition, std::int64_t table, const std::vector<std::int64_t>& tasks) {
  return {"select distinct ended from " + kept_table(partition) + " where ended = any($1) and in_table = $2",
          {numbers(tasks), number(table)}};
}

std::vector<marked_row> marked_rows_in(const rows& found) {
  std::vector<marked_row> all;
  all.reserve(found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    all.push_back(
      {static_cast<std::uint64_t>(found.number(i, 0)), {found.number(i, 1), found.text(i, 2)}, found.text(i, 3)});
  return all;
}

} // namespace steadfast::store::postgres
