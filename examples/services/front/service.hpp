#pragma once

#include "examples/services/business/business.hpp"
#include "examples/services/front/faults.hpp"
#include "examples/services/front/waiting_room.hpp"
#include "examples/services/ledger/journal.hpp"

#include <chrono>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>

namespace services {

/// The answer over HTTP.
struct reply {
  int status = 200;
  json body = json::object();
  double retry_after_seconds = 0; ///< above 0: a header
  bool close = false;             ///< no answer, the connection is closed
};

/// One named service: decides, carries out once per key, misbehaves as it is told to. Safe for many threads.
class service {
public:
  struct options {
    const business* what = nullptr;
    std::string database_path;
    std::string log_path;
    std::string tokens_path; ///< made when the first token is written
    fault_switches faults;
    std::uint64_t seed = 1;
  };

  explicit service(const options& o);

  /// `hang_up` closes the connection that the call came on, while the service works on.
  reply handle(const call& c, const std::function<void()>& hang_up);

  /// A request that could not be understood.
  static reply bad_request(const std::string& why);

  reply show_health() const;
  reply show_stats();
  reply show_faults() const;
  reply change_faults(const std::string& body);

  const business& what() const { return what_; }
  void let_all_go() { held_.close(); } ///< ends every wait at once, for good

private:
  fate fate_of(const call& c);
  json wish_of(const call& c);
  answer carry_out(const call& c, const fate& f);
  answer decide_and_record(const call& c, const fate& f);
  void write_token(const call& c);
  answer note(const call& c, effect_result r, int status, const std::string& sentence);
  bool hold(const fault_switches& f);
  reply work_on_unheard(const call& c, const fate& f, const std::function<void()>& hang_up);
  reply fail_before(const call& c, const fault_switches& f);
  reply answer_after(const call& c, const fate& f, const answer& a);

  const business& what_;
  journal journal_;
  const std::string tokens_path_;
  std::mutex tokens_mutex_;
  std::ofstream tokens_;
  fault_box faults_;
  waiting_room held_;
  std::chrono::steady_clock::time_point started_at_ = std::chrono::steady_clock::now();
};

} // namespace services
