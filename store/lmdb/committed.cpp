#include "store/lmdb/committed.hpp"

#include <algorithm>

namespace steadfast::store {

void needs_of_workflows::read_all(const lmdb::transaction& txn, const tables& in) {
  lmdb::cursor c{txn, in.definitions};
  for (bool more = c.first(); more; more = c.next())
    if (const auto d = readable<workflow::definition>(c.key(), c.value()))
      learn(*d);
  are_known_ = true;
}

void needs_of_workflows::learn(const workflow::definition& d) {
  of_nodes_ = std::max(of_nodes_, workflow::needed_for(d));
  events_.learn(d);
}

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
  unfinished.begin_again(count.last_task);
}

} // namespace steadfast::store
