#include "store/partitions/postgres_store.hpp"

#include "store/partitions/postgres_engine.hpp"
#include "store/postgres/schema.hpp"
#include "store/postgres/succession.hpp"

#include <optional>
#include <utility>

namespace steadfast::store {

namespace {

using postgres::shown_partition;
using std::chrono::milliseconds;

/// What is there, asked by those who wait.
class onlooker {
public:
  onlooker(const postgres_store_options& o, const postgres::monotonic_clock& now,
           std::shared_ptr<postgres::known_commits> known)
      : options_{o},
        now_{now},
        known_{std::move(known)} {}

  /// As whom the server shows it to the owner: one of those names. Throws store_error.
  shown_partition look(const std::string& name) {
    try {
      const bool is_named_so = std::exchange(name_, name) == name;
      if (!connection_ || !connection_->is_open() || !is_named_so)
        connect();
      if (auto shown = postgres::look_at(*connection_, the_partition)) {
        if (const auto lost = postgres::lost_by_server(*shown, known_->of(identity_)); !lost.empty())
          throw store_error{lost, false};
        known_->raise(identity_, {shown->epoch, shown->commit}, connection_->server());
        known_->save();
        return *shown;
      }
    } catch (const store_error&) {
      connection_.reset();
      throw;
    }
    throw store_error{"the store has no partition", false};
  }
  const std::string& identity() const { return identity_; }
  /// The owner lets it go soon, and wants others to have read it by then. Throws store_error. REQUIRES: it has looked.
  bool is_to_read() {
    return postgres::count_sessions(*connection_, postgres::name_of_leaving(options_.where.schema)) > 0;
  }
  /// Somebody else who waits has read it. Likewise.
  bool is_read_by_others() {
    return postgres::count_sessions(*connection_, postgres::name_of_ready(options_.where.schema)) > 0;
  }

private:
  void connect() {
    const auto& schema = options_.where.schema;
    // Of several that take writes, a former primary among them, the one that has the newest commits counts.
    for (const auto& x : postgres::look_at_servers(options_.where, the_partition, name_, {}, now_))
      if (postgres::lost_by_server(x.shown, known_->of(x.identity)).empty())
        known_->raise(x.identity, {x.shown.epoch, x.shown.commit}, x.server);
    const auto why_not = [&](postgres::connection& c) {
      return postgres::why_lost(c, schema, the_partition,
                                [&](const std::string& identity) { return known_->of(identity); });
    };
    connection_ = postgres::connection::open(options_.where, name_, {}, now_, known_->server(), why_not);
    const auto found = postgres::find_store(*connection_, schema);
    if (const auto wrong = postgres::why_not_usable(found, schema); !wrong.empty())
      throw store_error{wrong, false};
    if (found.card->partitions != 1)
      throw store_error{"the store has " + std::to_string(found.card->partitions)
                          + " partitions, and a node runs on a store of one: make one with `steadfast store init`"
                            " in another schema",
                        false};
    if (!identity_.empty() && identity_ != found.card->identity)
      throw store_error{"the server has another store now", true};
    identity_ = found.card->identity;
  }

  const postgres_store_options& options_;
  const postgres::monotonic_clock& now_;
  const std::shared_ptr<postgres::known_commits> known_;
  std::optional<postgres::connection> connection_;
  std::string identity_;
  std::string name_;
};

postgres_store_settings settings_of(const postgres_store_options& o, const std::string& identity,
                                    std::shared_ptr<const store_directory> folder) {
  postgres_store_settings s;
  s.owner.where = o.where;
  s.owner.identity = identity;
  s.owner.holder = o.holder;
  s.limits = o.limits;
  s.limits.path /= "memory";
  s.folder = std::move(folder);
  s.lease = o.lease;
  return s;
}

} // namespace

std::vector<std::string> problems(const postgres_store_options& o) {
  auto found = postgres::problems(o.where);
  if (o.lease < milliseconds{1000} || o.lease > milliseconds{600'000})
    found.emplace_back("the lease must be 1s to 10m");
  return found;
}

namespace {

/// One who waits for his turn.
class candidate {
public:
  candidate(const postgres_store_options& o, const postgres::monotonic_clock& now)
      : options_{o},
        now_{now},
        folder_{std::make_shared<const store_directory>(store_directory::take(o.limits.path))},
        known_{std::make_shared<postgres::known_commits>(o.limits.path / "known_commits")},
        see_{o, now, known_},
        turn_{o.lease} {}

  /// Throws store_error.
  void look_first() { see_.look(name()); }

  /// Null: it is not his turn, and `why` tells whose it is. Throws store_error.
  std::unique_ptr<postgres_engine> look(no_turn& why) {
    const bool is_last = lets_others_first();
    auto shown = see_.look(name());
    if (ahead_ && shown.epoch != ahead_of_) { // the next owner shall not count on it
      ahead_.reset();
      shown = see_.look(name());
    }
    why = {"the store is held by " + shown.holder, shown.holder};
    const postgres::holding held{the_partition, shown.epoch, shown.holder};
    const bool is_others_turn = !ahead_ && shown.holder.empty() && see_.is_read_by_others();
    if (turn_.may_take(shown, now_(), is_last || is_others_turn))
      return take(held);
    if (is_last || !see_.is_to_read())
      ahead_.reset();
    else if (!ahead_) {
      ahead_ = std::make_unique<postgres_engine>(settings(), now_);
      ahead_of_ = shown.epoch;
      return look(why); // which tells the owner
    }
    return nullptr;
  }

private:
  bool lets_others_first() const { return options_.lets_others_first && options_.lets_others_first(); }

  std::string name() const {
    const auto& schema = options_.where.schema;
    return lets_others_first() ? postgres::name_of_last(schema)
           : ahead_            ? postgres::name_of_ready(schema)
                               : postgres::name_of_waiting(schema);
  }

  std::unique_ptr<postgres_engine> take(const postgres::holding& held) {
    if (!ahead_)
      return std::make_unique<postgres_engine>(settings(), held, now_);
    auto read = std::exchange(ahead_, nullptr);
    read->take(held);
    return read;
  }

  postgres_store_settings settings() const {
    auto s = settings_of(options_, see_.identity(), folder_);
    s.owner.known = known_;
    return s;
  }

  const postgres_store_options& options_;
  const postgres::monotonic_clock& now_;
  std::shared_ptr<const store_directory> folder_;
  std::shared_ptr<postgres::known_commits> known_;
  onlooker see_;
  postgres::succession turn_;
  std::unique_ptr<postgres_engine> ahead_; ///< has read what it does not own yet
  std::int64_t ahead_of_ = 0;              ///< epoch of the owner of that time
};

} // namespace

std::unique_ptr<postgres_engine> take_postgres_store(const postgres_store_options& o,
                                                     const postgres::monotonic_clock& now, const wait_for_turn& wait) {
  candidate c{o, now};
  if (!o.waits_for_server)
    c.look_first(); // a mistake in the configuration is told at once
  for (;;) {
    no_turn now_not;
    try {
      if (auto store = c.look(now_not))
        return store;
    } catch (const store_error& e) {
      if (e.is_fatal())
        throw;
      now_not = {e.what(), {}}; // somebody was faster, or the server is away
    }
    if (!wait(postgres::between_looks(o.lease), now_not))
      return nullptr;
  }
}

std::unique_ptr<local_store> open_postgres_store(const postgres_store_options& o, const postgres::monotonic_clock& now,
                                                 const wait_for_turn& wait) {
  return take_postgres_store(o, now, wait);
}

} // namespace steadfast::store
