// Definitions, leases, alerts, notices, late replies, figures. A record that is damaged is left out; check() names it.

#include "store/reading.hpp"

namespace steadfast::store {

std::optional<workflow::definition> lmdb_engine::find_definition(const std::string& name, std::uint32_t version) const {
  return read([&](const lmdb::transaction&, const snapshot& see) -> std::optional<workflow::definition> {
    if (name.size() > workflow::name_size_max)
      return std::nullopt;
    try {
      const auto found = see.definition(name, version != 0 ? version : see.newest_version(name).value_or(0));
      return found ? std::optional{*found} : std::nullopt;
    } catch (const damaged_record&) {
      return std::nullopt;
    }
  });
}

std::vector<workflow::definition> lmdb_engine::definitions() const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    std::vector<workflow::definition> all;
    lmdb::cursor c{txn, in_.definitions};
    for (bool more = c.first(); more; more = c.next())
      if (auto d = readable<workflow::definition>(c.key(), c.value()))
        all.push_back(std::move(*d));
    return all;
  });
}

std::vector<lease> lmdb_engine::leases() const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    std::vector<lease> all;
    lmdb::cursor c{txn, in_.leases};
    for (bool more = c.first(); more; more = c.next())
      if (auto x = readable<lease_record>(c.key(), c.value()))
        all.push_back(std::move(x->what));
    return all;
  });
}

std::vector<alert_entry> lmdb_engine::alerts(bool open_only, std::size_t max) const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    std::vector<alert_entry> newest_first;
    lmdb::cursor c{txn, open_only ? in_.open_alerts : in_.alerts};
    for (bool more = c.last(); more && newest_first.size() < max; more = c.previous()) {
      const auto bytes = open_only ? txn.get(in_.alerts, c.key()) : c.value();
      if (!bytes)
        continue;
      if (auto x = readable<alert_entry>(c.key(), *bytes))
        newest_first.push_back(std::move(*x));
    }
    return newest_first;
  });
}

std::vector<notice_entry> lmdb_engine::notices(const std::string& observer, std::uint64_t after_number,
                                               std::uint32_t after_sequence, std::size_t max) const {
  if (observer.empty() || observer.size() > workflow::task_id_size_max)
    return {};
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    std::vector<notice_entry> found;
    const key begin = owner_key(observer);
    const key after = notice_key(observer, after_number, after_sequence);
    lmdb::cursor c{txn, in_.notices};
    bool more = c.seek(after);
    if (more && c.key() == after.view())
      more = c.next();
    for (; more && found.size() < max && c.key().starts_with(begin.view()); more = c.next()) {
      const auto number = key_reader{c.key().substr(begin.view().size())}.number<std::uint64_t>().value_or(0);
      if (auto x = readable<notice_record>(c.key(), c.value()))
        found.push_back({observer, number, std::move(x->task_id), std::move(x->what)});
    }
    return found;
  });
}

std::vector<late_reply_entry> lmdb_engine::late_replies(std::optional<std::uint64_t> task, std::size_t max) const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    std::vector<late_reply_entry> newest_first;
    lmdb::cursor c{txn, in_.late};
    bool more = task ? c.seek_before(key{*task + 1}) : c.last();
    for (; more && newest_first.size() < max; more = c.previous()) {
      const auto number = key_reader{c.key()}.number<std::uint64_t>().value_or(0);
      if (task && number != *task)
        break;
      if (auto x = readable<late_reply_record>(c.key(), c.value()))
        newest_first.push_back({number, std::move(x->task_id), std::move(x->what)});
    }
    return newest_first;
  });
}

std::vector<set_aside_damaged> lmdb_engine::damaged() {
  return damage_.take();
}

store_stats lmdb_engine::stats() const {
  return read([&](const lmdb::transaction& txn, const snapshot&) {
    store_stats s;
    const auto bytes = txn.get(in_.meta, counters_key).value_or(std::string_view{});
    if (const auto now = readable<counters>(counters_key, bytes)) {
      for (std::size_t i = 1; i < now->tasks.size(); ++i)
        s.tasks[static_cast<workflow::process_state>(i)] = now->tasks.at(i);
      s.last_number = now->last_task;
    }
    lmdb::cursor counts{txn, in_.ended_counts};
    for (bool more = counts.first(); more; more = counts.next())
      if (const auto of_workflow = readable<ended_count>(counts.key(), counts.value()))
        s.tasks_purged += of_workflow->purged;
    s.claimable = txn.entries(in_.ready) + txn.entries(in_.delayed);
    s.open_alerts = txn.entries(in_.open_alerts);
    std::uint64_t pages = txn.free_list_pages();
    for (const auto& t : all_tables)
      pages += txn.pages(in_.*t.table);
    s.bytes_used = pages * env_->page_size();
    s.bytes_mapped = env_->map_size();
    s.bytes_max = options_.size_max;
    return s;
  });
}

} // namespace steadfast::store
