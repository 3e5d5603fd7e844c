#pragma once

#include "examples/services/business/business.hpp"
#include "examples/services/ledger/database.hpp"
#include "examples/services/ledger/effect.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace services {

/// The effects of one service in its database, each under its key; and the lines of the effect log that belong to them,
/// so that the log can be completed after a crash between the commit and the line. Every change is made inside a
/// transaction of the caller's.
class ledger {
public:
  explicit ledger(const std::string& path);

  void begin() { database_.run("BEGIN"); }
  void commit() { database_.run("COMMIT"); }
  void roll_back() { database_.run("ROLLBACK"); }

  /// Carries out the decision, unless the key was used already. Without `dedup` the key is ignored. `call_again`: as of
  /// the business.
  answer perform(const call& c, const decision& decided, bool dedup, json (*call_again)(const json&) = nullptr);
  answer undo(const call& c);
  answer probe(const call& c);

  /// The body that the effect was made from; an empty object when there is none.
  json body_of(const std::string& key);

  void remember_line(std::uint64_t seq, const std::string& line);
  std::uint64_t last_seq();
  void each_line(const std::function<void(std::uint64_t seq, const std::string& line)>& visit);

  std::uint64_t effects_in_place();

private:
  struct found_effect {
    bool known = false; ///< the key was used
    bool in_place = false;
    std::string args;
    json result;
  };
  found_effect find(const std::string& key);

  database database_;
  statement find_;
  statement create_;
  statement undo_;
  statement body_;
  statement change_;
  statement remember_;
};

} // namespace services
