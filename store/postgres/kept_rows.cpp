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
  std::size_t bytes = 0;
};

void put_statement(const std::string& table, columns& of, std::vector<statement>& into) {
  if (of.keys.empty())
    return;
  into.push_back({"insert into " + table
                    + " (in_table, key, value) select t::smallint, k, v from unnest($1, $2, $3) u (t, k, v)"
                      " on conflict (in_table, key) do update set value = excluded.value",
                  {numbers(of.tables), blobs(of.keys), blobs(of.values)}});
  of = {};
}

void erase_statement(const std::string& table, columns& of, std::vector<statement>& into) {
  if (of.keys.empty())
    return;
  into.push_back(
    {"delete from " + table + " r using unnest($1, $2) u (t, k) where r.in_table = u.t::smallint and r.key = u.k",
     {numbers(of.tables), blobs(of.keys)}});
  of = {};
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
            + " where (in_table, key) > ($1::smallint, $2) order by in_table, key limit $3",
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

} // namespace steadfast::store::postgres
