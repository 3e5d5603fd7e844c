#include "store/partitions/postgres_store.hpp"

#include "store/contract/shares.hpp"
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
  onlooker(const postgres_store_options& o, std::uint32_t partition, const postgres::monotonic_clock& now,
           std::shared_ptr<postgres::known_commits> known)
      : options_{o},
        partition_{partition},
        now_{now},
        known_{std::move(known)} {}

  /// As whom the server shows it to the owner: one of those names. Throws store_error.
  shown_partition look(const std::string& name) {
    try {
      const bool is_named_so = std::exchange(name_, name) == name;
      if (!connection_ || !connection_->is_open() || !is_named_so)
        connect();
      if (auto shown = postgres::look_at(*connection_, partition_)) {
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
    throw store_error{"the store has no partition " + std::to_string(partition_), false};
  }
  /// How many the store has. REQUIRES: it has looked.
  std::uint32_t partitions() const { return partitions_; }
  const std::string& identity() const { return identity_; }
  /// The owner lets it go soon, and wants others to have read it by then. Throws store_error. REQUIRES: it has looked.
  bool is_to_read() {
    return postgres::count_sessions(*connection_, postgres::name_of_leaving(options_.where.schema, partition_)) > 0;
  }
  /// Somebody else who waits has read it. Likewise.
  bool is_read_by_others() {
    return postgres::count_sessions(*connection_, postgres::name_of_ready(options_.where.schema, partition_)) > 0;
  }

private:
  void connect() {
    const auto& schema = options_.where.schema;
    // Of several that take writes, a former primary among them, the one that has the newest commits counts.
    for (const auto& x : postgres::look_at_servers(options_.where, partition_, name_, {}, now_))
      if (postgres::lost_by_server(x.shown, known_->of(x.identity)).empty())
        known_->raise(x.identity, {x.shown.epoch, x.shown.commit}, x.server);
    const auto why_not = [&](postgres::connection& c) {
      return postgres::why_lost(c, schema, partition_,
                                [&](const std::string& identity) { return known_->of(identity); });
    };
    connection_ = postgres::connection::open(options_.where, name_, {}, now_, known_->server(), why_not);
    const auto found = postgres::find_store(*connection_, schema);
    if (const auto wrong = postgres::why_not_usable(found, schema); !wrong.empty())
      throw store_error{wrong, false};
    if (found.card->partitions > workflow::partitions_max)
      throw store_error{"the store has " + std::to_string(found.card->partitions)
                          + " partitions, and a node runs on at most " + std::to_string(workflow::partitions_max)
                          + ": make one with `steadfast store init` in another schema",
                        false};
    if (!identity_.empty() && identity_ != found.card->identity)
      throw store_error{"the server has another store now", true};
    identity_ = found.card->identity;
    partitions_ = static_cast<std::uint32_t>(found.card->partitions);
  }

  const postgres_store_options& options_;
  const std::uint32_t partition_;
  const postgres::monotonic_clock& now_;
  const std::shared_ptr<postgres::known_commits> known_;
  std::optional<postgres::connection> connection_;
  std::string identity_;
  std::uint32_t partitions_ = 0;
  std::string name_;
};

/// What it has of its own in the folder of the store; of the first it is called as of a store that has one.
std::filesystem::path in_folder(const postgres_store_options& o, const std::string& name, std::uint32_t partition) {
  return o.limits.path / (partition == 0 ? name : name + "." + std::to_string(partition));
}

} // namespace

std::vector<std::string> problems(const postgres_store_options& o) {
  auto found = postgres::problems(o.where);
  if (o.lease < milliseconds{1000} || o.lease > milliseconds{600'000})
    found.emplace_back("the lease must be 1s to 10m");
  return found;
}

namespace {

/// One who waits for his turn to have a partition.
class candidate {
public:
  candidate(const postgres_store_options& o, std::uint32_t partition, std::shared_ptr<const store_directory> folder,
            const postgres::monotonic_clock& now)
      : options_{o},
        partition_{partition},
        now_{now},
        folder_{std::move(folder)},
        known_{std::make_shared<postgres::known_commits>(in_folder(o, "known_commits", partition))},
        see_{o, partition, now, known_},
        turn_{o.lease} {}

  /// Throws store_error.
  void look_first() { see_.look(name()); }

  /// How many partitions the store has. REQUIRES: he has looked.
  std::uint32_t partitions() const { return see_.partitions(); }

  /// Null: it is not his turn, and `why` tells whose it is. `has_those_before`: he has the partitions before this one,
  /// and only then takes it. Throws store_error.
  std::unique_ptr<postgres_engine> look(bool has_those_before, no_turn& why) {
    try {
      return look_on(has_those_before, why);
    } catch (const store_error&) { // while the server cannot be asked, its owner can show no sign of life
      turn_ = postgres::succession{options_.lease};
      throw;
    }
  }

private:
  std::unique_ptr<postgres_engine> look_on(bool has_those_before, no_turn& why) {
    const bool is_last = lets_others_first();
    auto shown = see_.look(name());
    if (ahead_ && shown.epoch != ahead_of_) { // the next owner shall not count on it
      ahead_.reset();
      shown = see_.look(name());
    }
    why = {"the store is held by " + shown.holder, shown.holder, see_.partitions()};
    const postgres::holding held{partition_, shown.epoch, shown.holder};
    const bool is_others_turn = partition_ == 0 && !ahead_ && shown.holder.empty() && see_.is_read_by_others();
    if (turn_.may_take(shown, now_(), is_last || is_others_turn) && has_those_before)
      return take(held);
    if (is_last || !see_.is_to_read())
      ahead_.reset();
    else if (!ahead_) {
      ahead_ = std::make_unique<postgres_engine>(settings(), now_);
      ahead_of_ = shown.epoch;
      return look_on(has_those_before, why); // which tells the owner
    }
    return nullptr;
  }

  bool lets_others_first() const { return options_.lets_others_first && options_.lets_others_first(); }

  std::string name() const {
    const auto& schema = options_.where.schema;
    return lets_others_first() ? postgres::name_of_last(schema, partition_)
           : ahead_            ? postgres::name_of_ready(schema, partition_)
                               : postgres::name_of_waiting(schema, partition_);
  }

  std::unique_ptr<postgres_engine> take(const postgres::holding& held) {
    if (!ahead_)
      return std::make_unique<postgres_engine>(settings(), held, now_);
    auto read = std::exchange(ahead_, nullptr);
    read->take(held);
    return read;
  }

  postgres_store_settings settings() const {
    postgres_store_settings s;
    s.owner.where = options_.where;
    s.owner.identity = see_.identity();
    s.owner.holder = options_.holder;
    s.owner.known = known_;
    s.partition = partition_;
    s.limits = share_of(options_.limits, {partition_, see_.partitions()});
    s.limits.path = in_folder(options_, "memory", partition_);
    s.folder = folder_;
    s.lease = options_.lease;
    return s;
  }

  const postgres_store_options& options_;
  const std::uint32_t partition_;
  const postgres::monotonic_clock& now_;
  std::shared_ptr<const store_directory> folder_;
  std::shared_ptr<postgres::known_commits> known_;
  onlooker see_;
  postgres::succession turn_;
  std::unique_ptr<postgres_engine> ahead_; ///< has read what it does not own yet
  std::int64_t ahead_of_ = 0;              ///< epoch of the owner of that time
};

/// One who waits for his turn to have all partitions of a store.
class candidates {
public:
  candidates(const postgres_store_options& o, const postgres::monotonic_clock& now)
      : options_{o},
        now_{now},
        folder_{std::make_shared<const store_directory>(store_directory::take(o.limits.path))} {
    add();
  }

  /// Throws store_error.
  void look_first() { waiting_.front()->look_first(); }

  /// True: he has all. Otherwise `why` tells who has the first that he has not. Throws store_error.
  bool look(no_turn& why) {
    bool has_all = true;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (!taken_[i])
        look_at(i, has_all, why);
      has_all = has_all && taken_[i];
    }
    return has_all;
  }

  std::vector<std::unique_ptr<postgres_engine>> taken() { return std::move(taken_); }

private:
  void add() {
    waiting_.push_back(
      std::make_unique<candidate>(options_, static_cast<std::uint32_t>(waiting_.size()), folder_, now_));
    taken_.emplace_back();
  }

  void look_at(std::size_t i, bool has_those_before, no_turn& why) {
    no_turn here;
    taken_[i] = waiting_[i]->look(has_those_before, here);
    if (has_those_before)
      why = std::move(here);
    while (waiting_.size() < waiting_[i]->partitions())
      add();
    if (taken_[i])
      waiting_[i].reset();
  }

  const postgres_store_options& options_;
  const postgres::monotonic_clock& now_;
  std::shared_ptr<const store_directory> folder_;
  std::vector<std::unique_ptr<candidate>> waiting_;     ///< by partition; null: it was taken
  std::vector<std::unique_ptr<postgres_engine>> taken_; ///< likewise; null: not yet
};

} // namespace

std::vector<std::unique_ptr<postgres_engine>>
take_postgres_store(const postgres_store_options& o, const postgres::monotonic_clock& now, const wait_for_turn& wait) {
  candidates all{o, now};
  if (!o.waits_for_server)
    all.look_first(); // a mistake in the configuration is told at once
  for (;;) {
    no_turn now_not;
    try {
      if (all.look(now_not))
        return all.taken();
    } catch (const store_error& e) {
      if (e.is_fatal())
        throw;
      now_not = {e.what(), {}}; // somebody was faster, or the server is away
    }
    if (!wait(postgres::between_looks(o.lease), now_not))
      return {};
  }
}

std::vector<std::shared_ptr<local_store>>
open_postgres_store(const postgres_store_options& o, const postgres::monotonic_clock& now, const wait_for_turn& wait) {
  std::vector<std::shared_ptr<local_store>> all;
  for (auto& p : take_postgres_store(o, now, wait))
    all.push_back(std::move(p));
  return all;
}

} // namespace steadfast::store
