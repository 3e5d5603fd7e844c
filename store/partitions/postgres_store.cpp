#include "store/partitions/postgres_store.hpp"

#include "store/contract/shares.hpp"
#include "store/partitions/postgres_engine.hpp"
#include "store/postgres/schema.hpp"
#include "store/postgres/succession.hpp"
#include "workflow/supervision/shares.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace steadfast::store {

namespace {

using postgres::shown_partition;
using std::chrono::milliseconds;

/// What one does who looks.
enum class looks_as : std::uint8_t { waiting, last, ready };

/// The name of its session.
std::string name_of(looks_as what, const std::string& schema, std::uint32_t partition, std::uint32_t has) {
  switch (what) {
    case looks_as::waiting: return postgres::name_of_waiting(schema, partition, has);
    case looks_as::last: return postgres::name_of_last(schema, partition, has);
    case looks_as::ready: return postgres::name_of_ready(schema, partition, has);
  }
  return {};
}

/// What is there, asked by those who wait.
class onlooker {
public:
  onlooker(const postgres_store_options& o, std::uint32_t partition, const postgres::monotonic_clock& now,
           std::shared_ptr<postgres::known_commits> known)
      : options_{o},
        partition_{partition},
        now_{now},
        known_{std::move(known)} {}

  /// As whom the server shows it to the owner and to others, and how many partitions its process has. Throws
  /// store_error.
  shown_partition look(looks_as what, std::uint32_t has) {
    try {
      const bool is_as_before = std::exchange(what_, what) == what;
      const bool had_as_many = std::exchange(has_, has) == has;
      if (!connection_ || !connection_->is_open() || !is_as_before)
        connect();
      else if (!had_as_many)
        connection_->read({{"select set_config('application_name', $1, false)", {postgres::text(name())}}});
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
  /// Of each other who waits, or of each who has read it, how many partitions he has. Likewise.
  std::vector<std::uint32_t> others_waiting() {
    return postgres::waiting(*connection_, options_.where.schema, partition_);
  }
  std::vector<std::uint32_t> others_ready() { return postgres::ready(*connection_, options_.where.schema, partition_); }

private:
  std::string name() const { return name_of(what_, options_.where.schema, partition_, has_); }

  void connect() {
    const auto& schema = options_.where.schema;
    // Of several that take writes, a former primary among them, the one that has the newest commits counts.
    // Under another name: who waits shall not be seen twice.
    const auto as_onlooker = postgres::name_of_last(schema, partition_);
    for (const auto& x : postgres::look_at_servers(options_.where, partition_, as_onlooker, {}, now_))
      if (postgres::lost_by_server(x.shown, known_->of(x.identity)).empty())
        known_->raise(x.identity, {x.shown.epoch, x.shown.commit}, x.server);
    const auto why_not = [&](postgres::connection& c) {
      return postgres::why_lost(c, schema, partition_,
                                [&](const std::string& identity) { return known_->of(identity); });
    };
    connection_ = postgres::connection::open(options_.where, name(), {}, now_, known_->server(), why_not);
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
  looks_as what_ = looks_as::waiting;
  std::uint32_t has_ = 0;
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

class partition_turn::looking {
public:
  looking(postgres_store_options o, std::uint32_t partition, std::shared_ptr<const store_directory> folder,
          postgres::monotonic_clock now)
      : options_{std::move(o)},
        partition_{partition},
        now_{std::move(now)},
        folder_{std::move(folder)},
        known_{std::make_shared<postgres::known_commits>(in_folder(options_, "known_commits", partition))},
        see_{options_, partition, now_, known_},
        turn_{options_.lease} {}

  void look_first() { see_.look(looks_as_now(), 0); }

  std::uint32_t partitions() const { return see_.partitions(); }

  std::unique_ptr<postgres_engine> look(const share& own, no_turn& why) {
    try {
      return look_on(own, why);
    } catch (const store_error&) { // while the server cannot be asked, its owner can show no sign of life
      turn_ = postgres::succession{options_.lease};
      left_to_others_ = 0;
      throw;
    }
  }

private:
  std::unique_ptr<postgres_engine> look_on(const share& own, no_turn& why) {
    const bool is_last = lets_others_first();
    auto shown = see_.look(looks_as_now(), own.has);
    if (ahead_ && shown.epoch != ahead_of_) { // the next owner shall not count on it
      ahead_.reset();
      shown = see_.look(looks_as_now(), own.has);
    }
    why = {"the store is held by " + shown.holder, shown.holder, see_.partitions()};
    const postgres::holding held{partition_, shown.epoch, shown.holder};
    const bool is_others_turn = own.defers && !ahead_ && shown.holder.empty() && is_read_by_others(own);
    const bool may_take = turn_.may_take(shown, now_(), is_last || is_others_turn);
    if (may_take && own.wants && comes_first(own, left_to_others_))
      return take(held);
    left_to_others_ = may_take ? left_to_others_ + 1 : 0;
    if (is_last || !see_.is_to_read())
      ahead_.reset();
    else if (!ahead_ && comes_first(own, 0)) { // else it would most likely be read for nothing
      ahead_ = std::make_unique<postgres_engine>(settings(), now_);
      ahead_of_ = shown.epoch;
      return look_on(own, why); // which tells the owner
    }
    return nullptr;
  }

  bool lets_others_first() const { return options_.lets_others_first && options_.lets_others_first(); }

  looks_as looks_as_now() const {
    return lets_others_first() ? looks_as::last : ahead_ ? looks_as::ready : looks_as::waiting;
  }

  /// Of those who wait, or it was left to them for so many looks.
  bool comes_first(const share& own, std::uint32_t looks) {
    const auto others =
      own.has > 0 ? see_.others_waiting() : std::vector<std::uint32_t>{}; // none has less than nothing
    return workflow::may_take_share(own.has, others, looks);
  }

  /// By those who have no more than this one: others leave it to him.
  bool is_read_by_others(const share& own) {
    const auto others = see_.others_ready();
    return std::any_of(others.begin(), others.end(), [&own](std::uint32_t has) { return has <= own.has; });
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

  const postgres_store_options options_;
  const std::uint32_t partition_;
  const postgres::monotonic_clock now_;
  const std::shared_ptr<const store_directory> folder_;
  const std::shared_ptr<postgres::known_commits> known_;
  onlooker see_;
  postgres::succession turn_;
  std::uint32_t left_to_others_ = 0;       ///< looks in which it could have been taken, without a break
  std::unique_ptr<postgres_engine> ahead_; ///< has read what it does not own yet
  std::int64_t ahead_of_ = 0;              ///< epoch of the owner of that time
};

partition_turn::partition_turn(postgres_store_options o, std::uint32_t partition,
                               std::shared_ptr<const store_directory> folder, postgres::monotonic_clock now)
    : looking_{std::make_unique<looking>(std::move(o), partition, std::move(folder), std::move(now))} {}

partition_turn::~partition_turn() = default;

void partition_turn::look_first() {
  looking_->look_first();
}

std::uint32_t partition_turn::partitions() const {
  return looking_->partitions();
}

std::unique_ptr<postgres_engine> partition_turn::look(const share& own, no_turn& why) {
  auto taken = looking_->look(own, why);
  if (taken)
    looking_.reset(); // who has it is not seen to wait for it
  return taken;
}

partition_turns::partition_turns(postgres_store_options o, postgres::monotonic_clock now)
    : options_{std::move(o)},
      now_{std::move(now)},
      folder_{std::make_shared<const store_directory>(store_directory::take(options_.limits.path))} {}

std::unique_ptr<partition_turn> partition_turns::wait_for(std::uint32_t partition) const {
  return std::make_unique<partition_turn>(options_, partition, folder_, now_);
}

namespace {

/// One who waits for his turn to have all partitions of a store.
class candidates {
public:
  candidates(const postgres_store_options& o, const postgres::monotonic_clock& now) : turns_{o, now} { add(); }

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
    waiting_.push_back(turns_.wait_for(static_cast<std::uint32_t>(waiting_.size())));
    taken_.emplace_back();
  }

  void look_at(std::size_t i, bool has_those_before, no_turn& why) {
    no_turn here;
    const bool is_first = i == 0; // whoever has it comes before all others at the rest
    taken_[i] = waiting_[i]->look({0, has_those_before, is_first}, here);
    while (waiting_.size() < here.partitions)
      add();
    if (has_those_before)
      why = std::move(here);
    if (taken_[i])
      waiting_[i].reset();
  }

  partition_turns turns_;
  std::vector<std::unique_ptr<partition_turn>> waiting_; ///< by partition; null: it was taken
  std::vector<std::unique_ptr<postgres_engine>> taken_;  ///< likewise; null: not yet
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
