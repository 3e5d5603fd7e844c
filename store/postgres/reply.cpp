#include "store/postgres/reply.hpp"

#include "store/postgres/libpq.hpp"
#include "store/postgres/statement.hpp"

namespace steadfast::store::postgres {

void rows::free(pg_result* r) {
  libpq().clear(r);
}

std::size_t rows::size() const {
  return static_cast<std::size_t>(libpq().ntuples(result_.get()));
}

std::optional<std::string_view> rows::bytes(std::size_t row, std::size_t column) const {
  const auto r = static_cast<int>(row);
  const auto c = static_cast<int>(column);
  if (libpq().getisnull(result_.get(), r, c) != 0)
    return std::nullopt;
  return std::string_view{libpq().getvalue(result_.get(), r, c),
                          static_cast<std::size_t>(libpq().getlength(result_.get(), r, c))};
}

std::string rows::text(std::size_t row, std::size_t column) const {
  return std::string{bytes(row, column).value_or(std::string_view{})};
}

std::int64_t rows::number(std::size_t row, std::size_t column) const {
  const auto found = bytes(row, column);
  return found ? number_in(*found) : 0;
}

transaction_end end_of(const reply& r) {
  if (!r.is_complete || !r.broken.empty() || !r.warning.empty())
    return transaction_end::unknown;
  if (r.why_not)
    return r.why_not->statement < r.statements ? transaction_end::refused
                                               : transaction_end::unknown; // else the commit itself failed
  return r.results.size() == r.statements ? transaction_end::made : transaction_end::unknown;
}

std::string why(const reply& r) {
  if (r.why_not)
    return r.why_not->text + " (" + r.why_not->code + ")";
  return r.broken.empty() ? r.warning : r.broken;
}

bool is_passing(const refusal& r) {
  const std::string_view code = r.code;
  return code == "40001" || code == "40P01" || code == "55P03" || code.starts_with("53");
}

} // namespace steadfast::store::postgres
