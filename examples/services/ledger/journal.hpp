#pragma once

#include "examples/services/ledger/effect_log.hpp"
#include "examples/services/ledger/ledger.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace services {

/// The one thread that touches the database and the effect log. What arrives while a commit is on its way to disk goes
/// into the next one. The order of the log is the order of the effects.
class journal {
public:
  /// Reads the ledger, changes it, and returns the outcome of the call.
  using work = std::function<answer(ledger&)>;

  /// Completes the log from the database, in case a crash came between the two.
  journal(std::string service, const std::string& database_path, const std::string& log_path);
  ~journal();
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;

  /// On return the effect is committed and its line is in the log. Throws database_error; then nothing took place.
  answer record(const call& c, work what);

  /// Reads without leaving a line.
  void look(const std::function<void(ledger&)>& what);

  /// Lines written since the start, by result.
  std::map<std::string, std::uint64_t> counts() const;

private:
  struct order {
    const call* about; ///< nullptr: leaves no line
    work what;
    std::promise<answer> done;
    answer outcome;
    std::string line;
  };

  void complete_log();
  void serve();
  void carry_out(std::vector<order>& orders);
  void commit(std::vector<order>& orders);
  void write_lines(const std::vector<order>& orders);
  answer wait_for(order o);
  std::string line_of(const call& c, const answer& a);

  const std::string service_;
  ledger ledger_;
  effect_log log_;
  std::uint64_t next_seq_ = 1;

  mutable std::mutex mutex_; ///< guards what follows
  std::condition_variable arrived_;
  std::vector<order> waiting_;
  std::map<std::string, std::uint64_t> counts_;
  bool stopping_ = false;

  std::thread thread_; ///< last, since it uses all the others
};

} // namespace services
