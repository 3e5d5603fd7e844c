#pragma once

#include "store/contract/local_store.hpp"
#include "store/contract/options.hpp"
#include "store/engine/tasks_elsewhere.hpp"
#include "store/engine/write_batch.hpp"
#include "store/journal/directory.hpp"
#include "store/journal/disk_reserve.hpp"
#include "store/journal/migration.hpp"
#include "store/journal/shared_transaction.hpp"
#include "store/lmdb/snapshot.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace steadfast::store {

struct checked_elsewhere;

/// Settings that only tests and the store on PostgreSQL change.
struct engine_settings {
  /// Bytes that are mapped at first, and doubled when they are used up. 0: all of store.size_max, so that the map never
  /// has to grow: it can grow only while there is no reader.
  std::uint64_t map_initial = 0;
  std::uint32_t format = store_format;
  std::vector<migration> migrations = all_migrations();
  /// Where the store is kept. The directory, which must be new, is then only its memory and is removed with it.
  outside_log* outside = nullptr;
  const tasks_elsewhere* elsewhere = nullptr; ///< the tasks that have left its tables; null: none has
  bool is_for_move = false;                   ///< opened to be moved elsewhere: from then on others are refused
};

bool is_full(const lmdb::error& e);  ///< the store, or its disk
bool is_fatal(const lmdb::error& e); ///< it is no longer known what is on disk

/// The state store on LMDB.
class lmdb_engine final : public local_store {
public:
  /// Throws store_error.
  explicit lmdb_engine(const store_options& options, const engine_settings& settings = {});
  ~lmdb_engine() override;

  using state_store::commit;
  std::vector<outcome> commit(const write_list& batch) override;
  /// `asked`: what was found out about tasks elsewhere. `needed` returns what else the batch needs to know about them:
  /// then there are no outcomes, and nothing was done.
  std::vector<outcome> commit(const write_list& batch, const asked_elsewhere& asked, needed_tasks& needed);
  void share(std::function<void()> wake) override;
  void save() override;
  /// Reads everything again from where the store is kept. For the thread that commits. Throws store_error. REQUIRES:
  /// the store is kept elsewhere.
  void fill_again();
  /// Reads what has been added since it was filled. Rules as above.
  void go_on();
  /// Forgets what the log elsewhere did not take: the store is again as it is there. Rules as above.
  void go_back();
  /// Whether look() shows all that was committed. For the thread that commits.
  bool is_saved() const { return shared_->is_saved(); }
  /// Calls use(transaction, tables) on the state that was saved last.
  void look(const std::function<void(const lmdb::transaction&, const tables&)>& use) const;

  // ---- tasks that are kept elsewhere; for the thread that commits ----

  /// Whether the tables have the task.
  bool has(std::uint64_t number) const;
  /// How many tasks of the workflow have ended well, wherever they are.
  std::uint64_t ended_of(const std::string& workflow) const;
  /// Puts tasks into the tables again, except those that are there already; the log is not told of it. Throws
  /// store_error: then nothing was done. REQUIRES: is_saved().
  void put_back(std::vector<rows_of_task> all);
  /// Takes those tasks out of the tables that have not changed, and puts them first. Returns how many. Rules as above.
  std::size_t take_out(std::vector<leaving_task>& all);
  /// Tells all who wait for a save that there is none now.
  void let_nobody_wait() { shared_->let_go(); }

  std::optional<workflow::task> find(const std::string& id) const override;
  std::optional<std::string> damage_of(const std::string& id) const override;
  std::optional<workflow::task> find(std::uint64_t number) const override;
  task_page list(const task_filter& filter, std::optional<std::uint64_t> before, std::size_t max) const override;
  tally count_part(const task_filter& filter, std::optional<std::uint64_t> before) const override;
  tally visit_part(const task_filter& filter, std::optional<std::uint64_t> before,
                   const task_visitor& use) const override;
  due_page overdue(workflow::instant now, std::optional<std::pair<workflow::instant, std::uint64_t>> after,
                   std::size_t max) const override;
  std::optional<workflow::definition> find_definition(const std::string& name, std::uint32_t version) const override;
  std::vector<workflow::definition> definitions(const definition_place& after, std::size_t steps_max) const override;
  std::vector<lease> leases(const workflow::clock_reading& clock) const override;
  std::vector<alert_entry> alerts(bool open_only, std::size_t max) const override;
  alert_list find_alerts(const alert_filter& filter, std::optional<std::uint64_t> before,
                         std::size_t max) const override;
  incident_page incidents(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const override;
  std::optional<incident> find_incident(std::uint64_t number) const override;
  bulk_page bulk_acts(bool open_only, std::optional<std::uint64_t> before, std::size_t max) const override;
  bulk_page find_bulk_act(std::uint64_t number) const override;
  std::vector<workflow::schedule_state> schedules(const std::string& after, std::size_t max) const override;
  std::optional<workflow::schedule_state> find_schedule(const std::string& name) const override;
  event_page events(const event_filter& filter, workflow::instant now, const std::string& after,
                    std::size_t max) const override;
  std::optional<limit_queue> find_limit_queue(std::uint64_t number) const override;
  std::optional<items_undo> find_items_undo(std::uint64_t number, std::uint32_t step) const override;
  std::vector<notice_entry> notices(const std::string& observer, std::uint64_t after_number,
                                    std::uint32_t after_sequence, std::size_t max) const override;
  std::vector<late_reply_entry> late_replies(std::optional<std::uint64_t> task, std::size_t max) const override;
  std::vector<set_aside_damaged> damaged() override;
  std::optional<exported_task> export_task(const std::string& id) const override;
  store_counts counts() const override;
  file_figures sizes() const override;
  check_report check() const override;
  void copy(const std::filesystem::path& to) const override;

private:
  void open_environment(const engine_settings& settings);
  void heed_file_limit();
  void map(std::uint64_t bytes);
  void let_writer_save(const engine_settings& settings);
  void make_tables(std::uint32_t format);
  void open_tables();
  void raise_epochs();
  template <class F>
  void with_room(F f);
  void save_from_journal();
  void bring_up(const engine_settings& settings);
  void fill();
  void report(const damaged_tasks& all);
  void read_again(const std::function<void()>& make_right);
  void read_counters();

  bool has_disk_for(const write_list& batch);
  struct commit_limits {
    bool has_disk = true;
    room full = room::there; ///< for new work
  };
  std::vector<outcome> try_commit(const write_list& batch, const commit_limits& limits, const asked_elsewhere& asked,
                                  needed_tasks& needed);
  bool grow(std::uint64_t limit);
  std::uint64_t size_of_last_resort() const;
  bool save_first();
  void try_to_save();
  void grow_ahead();
  [[noreturn]] void give_up(const lmdb::error& e);

  /// Returns when the data file has all that was committed.
  void wait_for_save() const;
  void save_here() const;
  /// Runs f(transaction, snapshot) on the present state.
  template <class F>
  auto read(F f) const;
  /// Runs f(transaction, snapshot), which returns an optional, on the tables. If that is empty, runs it on the rows
  /// that are elsewhere for the task with the id or number `by`.
  template <class By, class F>
  auto read_task(const By& by, F f) const;
  checked_elsewhere check_elsewhere() const;
  void check_left(const lmdb::transaction& txn, const rows_of_task& t, checked_elsewhere& all) const;
  other_rows as_rows(const std::vector<rows_of_task>& all) const;
  std::optional<tasks_elsewhere::page> page_elsewhere(const task_filter& filter, std::optional<std::uint64_t> before,
                                                      std::size_t max) const;
  /// Throws damaged_record. `recent`: what recent_ids::find returned before the snapshot was taken.
  std::optional<task_ref> ref_of(const snapshot& see, const std::string& id, std::optional<std::uint64_t> recent) const;
  /// `also`: the newest tasks elsewhere that may match; null: there are none.
  template <class Use>
  std::optional<std::uint64_t> look_through(const lmdb::transaction& txn, const snapshot& see,
                                            const task_filter& filter, std::optional<std::uint64_t> before,
                                            std::size_t most, const tasks_elsewhere::page* also, Use use) const;
  /// Goes on with those that were there when the store was opened.
  void count_unfinished() const;
  /// A damaged task is reported, and counts as absent.
  std::optional<snapshot::known_task> believed(const snapshot& see, std::uint64_t number, bool whole = false) const;

  store_options options_;
  store_directory directory_;
  outside_log* outside_;
  const tasks_elsewhere* elsewhere_;
  std::unique_ptr<lmdb::environment> env_;
  std::optional<disk_reserve> reserve_; ///< none when the store is read only
  tables in_;
  mutable std::mutex writing_;
  std::unique_ptr<shared_transaction> shared_;
  std::uint64_t commits_ = 0;
  bool was_closed_ = false; ///< cleanly, by the process before, which had saved all commits in the data file
  mutable std::atomic<bool> is_lost_ = false; ///< a fatal error was thrown: nothing is written from then on
  committed committed_;
  id_filter moved_ids_;
};

} // namespace steadfast::store
