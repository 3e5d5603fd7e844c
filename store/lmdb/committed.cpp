#include "store/lmdb/committed.hpp"

namespace steadfast::store {

void committed::load(const lmdb::transaction& txn, const tables& in) {
  ended.clear();
  endings.clear();
  alerts = {};
  count = decode_record<counters>(counters_key, txn.get(in.meta, counters_key).value_or(std::string_view{}));
  lmdb::cursor c{txn, in.ended_counts};
  for (bool more = c.first(); more; more = c.next())
    ended.emplace(std::string{c.key()}, decode_record<ended_count>(c.key(), c.value()));
  lmdb::cursor how{txn, in.endings};
  for (bool more = how.first(); more; more = how.next())
    if (auto x = readable<workflow::endings>(how.key(), how.value())) // else what is usual is learnt again
      endings.emplace(std::string{how.key()}, *x);
}

} // namespace steadfast::store
