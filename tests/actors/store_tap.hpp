#pragma once

#include "store/contract/wrapped_store.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace steadfast::tests {

/// Passes everything on to a real store, counts its commits, and misbehaves when a test says so.
class store_tap final : public store::wrapped_store {
public:
  /// How the next commit goes wrong.
  enum class fault {
    reported_unknown, ///< made, and reported as unknown
    fatal_after,      ///< made, and then the engine gives up
    fatal_before,     ///< not made, and the engine gives up
    full,             ///< not made, because there is no room
  };

  explicit store_tap(std::unique_ptr<store::local_store> real) : real_{std::move(real)} {}

  /// The next commit goes wrong; with a predicate, the next that it holds for.
  void fail_next(fault how, std::function<bool(const store::write_list&)> when = {}) {
    fault_.emplace(how, std::move(when));
  }
  /// Every commit goes wrong, until it is told otherwise.
  void fail_always(std::optional<fault> how) { always_ = how; }
  /// Every read goes wrong; what a test asks of the store itself included.
  void fail_reads(bool yes) { reads_fail_ = yes; }
  /// Another process may have the store.
  void be_perhaps_lost(bool yes) { is_perhaps_lost_ = yes; }
  /// Every save goes wrong, for good.
  void fail_saves() { save_fails_ = true; }

  /// The deadline index has lost its entries.
  void hide_overdue(bool yes) { overdue_hidden_ = yes; }

  /// The process has ended: nothing reaches the store any more, and its file is closed.
  void cut() { real_.reset(); }

  /// Called with each batch that is on its way to the store.
  std::function<void(const store::write_list&)> on_commit;

  /// Sizes of the commits made.
  const std::vector<std::size_t>& batches() const { return batches_; }

  /// How often a task was read by its number, as a scheduler reads it.
  std::size_t tasks_read() const { return tasks_read_; }
  std::size_t definitions_read() const { return definitions_read_; }
  std::size_t saves() const { return saves_; }
  std::size_t notices_read() const { return notices_read_; }

  std::vector<store::notice_entry> notices(const std::string& observer, std::uint64_t after_number,
                                           std::uint32_t after_sequence, std::size_t max) const override {
    ++notices_read_;
    return real().notices(observer, after_number, after_sequence, max);
  }

  using wrapped_store::find;
  std::optional<workflow::task> find(std::uint64_t number) const override {
    ++tasks_read_;
    return real().find(number);
  }
  std::optional<workflow::definition> find_definition(const std::string& name, std::uint32_t version) const override {
    ++definitions_read_;
    return real().find_definition(name, version);
  }

  using state_store::commit;
  std::vector<store::outcome> commit(const store::write_list& batch) override {
    if (on_commit)
      on_commit(batch);
    const auto how = fault_of(batch);
    if (!how)
      return made(batch);
    if (how == fault::fatal_before)
      throw store::store_error{"the disk failed", true};
    if (how == fault::full)
      throw store::store_error{"the disk is full", false};
    auto outcomes = made(batch);
    if (how == fault::fatal_after)
      throw store::store_error{"the disk failed after the commit", true};
    return std::vector<store::outcome>(outcomes.size(), store::decision{store::write_status::unknown_outcome, {}});
  }

  due_page overdue(workflow::instant now, std::optional<std::pair<workflow::instant, std::uint64_t>> after,
                   std::size_t max) const override {
    return overdue_hidden_ ? due_page{} : real().overdue(now, after, max);
  }
  void expect_newest() const override {
    if (is_perhaps_lost_)
      throw store::store_error{"another may have it", false};
  }
  /// The next reading comes upon it.
  void find_damage(store::set_aside_damaged what) { found_.push_back(std::move(what)); }
  std::vector<store::set_aside_damaged> damaged() override {
    if (!found_.empty())
      return std::exchange(found_, {});
    return real_ ? real_->damaged() : std::vector<store::set_aside_damaged>{};
  }
  void share(std::function<void()> wake) override {
    if (real_)
      real_->share(std::move(wake));
  }
  void save() override {
    ++saves_;
    if (save_fails_)
      throw store::store_error{"the disk failed in a save", true};
    if (real_)
      real_->save();
  }

private:
  local_store& real() const override {
    if (!real_)
      throw store::store_error{"the process has ended", true};
    if (reads_fail_)
      throw store::store_error{"the disk cannot be read", false};
    return *real_;
  }

  std::optional<fault> fault_of(const store::write_list& batch) {
    if (!fault_ || (fault_->second && !fault_->second(batch)))
      return always_;
    return std::exchange(fault_, std::nullopt)->first;
  }

  std::vector<store::outcome> made(const store::write_list& batch) {
    if (!real_)
      throw store::store_error{"the process has ended", true};
    auto outcomes = real_->commit(batch);
    batches_.push_back(batch.size());
    return outcomes;
  }

  std::unique_ptr<store::local_store> real_;
  std::optional<std::pair<fault, std::function<bool(const store::write_list&)>>> fault_;
  std::optional<fault> always_;
  std::vector<store::set_aside_damaged> found_;
  bool reads_fail_ = false;
  bool is_perhaps_lost_ = false;
  bool save_fails_ = false;
  bool overdue_hidden_ = false;
  std::vector<std::size_t> batches_;
  mutable std::size_t tasks_read_ = 0;
  mutable std::size_t definitions_read_ = 0;
  std::size_t saves_ = 0;
  mutable std::size_t notices_read_ = 0;
};

} // namespace steadfast::tests
