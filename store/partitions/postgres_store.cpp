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

/// Those who wait look often enough to notice soon after the lease is over.
milliseconds between_looks(milliseconds lease) {
  return lease / 10;
}

/// What is there, asked by those who wait.
class onlooker {
public:
  onlooker(const postgres_store_options& o, const postgres::monotonic_clock& now) : options_{o}, now_{now} {}

  /// Throws store_error.
  shown_partition look() {
    try {
      if (!connection_ || !connection_->is_open())
        connect();
      if (auto shown = postgres::look_at(*connection_, the_partition))
        return *shown;
    } catch (const store_error&) {
      connection_.reset();
      throw;
    }
    throw store_error{"the store has no partition", false};
  }
  const std::string& identity() const { return identity_; }

private:
  void connect() {
    const auto& schema = options_.where.schema;
    connection_ = postgres::connection::open(options_.where, "steadfast " + schema + " waits", {}, now_);
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
  std::optional<postgres::connection> connection_;
  std::string identity_;
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

std::unique_ptr<postgres_engine> take_postgres_store(const postgres_store_options& o,
                                                     const postgres::monotonic_clock& now, const wait_for_turn& wait) {
  const auto folder = std::make_shared<const store_directory>(store_directory::take(o.limits.path));
  onlooker see{o, now};
  postgres::succession turn{o.lease};
  if (!o.waits_for_server)
    see.look(); // a mistake in the configuration is told at once
  for (;;) {
    no_turn now_not;
    try {
      const auto shown = see.look();
      now_not = {"the store is held by " + shown.holder, shown.holder};
      if (turn.may_take(shown, now()))
        return std::make_unique<postgres_engine>(settings_of(o, see.identity(), folder),
                                                 postgres::holding{the_partition, shown.epoch, shown.holder}, now);
    } catch (const store_error& e) {
      if (e.is_fatal())
        throw;
      now_not = {e.what(), {}}; // somebody was faster, or the server is away
    }
    if (!wait(between_looks(o.lease), now_not))
      return nullptr;
  }
}

std::unique_ptr<local_store> open_postgres_store(const postgres_store_options& o, const postgres::monotonic_clock& now,
                                                 const wait_for_turn& wait) {
  return take_postgres_store(o, now, wait);
}

} // namespace steadfast::store
