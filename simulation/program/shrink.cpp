#include "simulation/program/shrink.hpp"

#include "simulation/program/effect_check.hpp"
#include "simulation/services/injected_faults.hpp"
#include "tests/support/fast_place.hpp"
#include "tests/support/temp_folder.hpp"

#include <algorithm>
#include <iostream>
#include <vector>

namespace steadfast::simulation {

namespace {

class shrinking {
public:
  explicit shrinking(request q) : smallest_{std::move(q)} {}

  bool go() {
    if (!still_breaks(smallest_))
      return false;
    leave_out_kinds();
    leave_out_faults();
    leave_out_tasks();
    still_breaks(smallest_); // for its injected faults and violations
    print();
    return true;
  }

private:
  bool still_breaks(const request& q) {
    last_ = checked_run(options_of(q, q.seed, folder_.path() / "run"));
    std::cerr << '.' << std::flush;
    return !last_.violations.empty();
  }

  bool takes(request q) {
    if (!still_breaks(q))
      return false;
    smallest_ = std::move(q);
    return true;
  }

  void leave_out_kinds() {
    auto q = smallest_;
    if (q.faults.empty())
      q.faults = all_faults();
    for (const auto& kind : std::set<std::string>{q.faults}) {
      if (q.faults.size() < 2)
        return;
      auto fewer = q;
      fewer.faults.erase(kind);
      if (takes(fewer))
        q = std::move(fewer);
    }
  }

  /// Leaves out the remaining ones in halves, quarters and so on.
  void leave_out_faults() {
    still_breaks(smallest_);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < last_.injected_faults.size(); ++i)
      if (!last_.injected_faults[i].empty())
        left.push_back(i);
    for (auto piece = std::max<std::size_t>(left.size() / 2, 1); !left.empty(); piece /= 2) {
      for (std::size_t at = 0; at < left.size();) {
        const auto end = std::min(at + piece, left.size());
        auto fewer = smallest_;
        fewer.skipped.insert(left.begin() + static_cast<std::ptrdiff_t>(at),
                             left.begin() + static_cast<std::ptrdiff_t>(end));
        if (takes(fewer))
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(at), left.begin() + static_cast<std::ptrdiff_t>(end));
        else
          at = end;
      }
      if (piece == 1)
        return;
    }
  }

  void leave_out_tasks() {
    for (auto fewer = smallest_; fewer.tasks > 1;) {
      fewer.tasks /= 2;
      if (!takes(fewer))
        return;
    }
  }

  void print() const {
    std::cerr << '\n';
    for (const auto& v : last_.violations)
      std::cout << v << '\n';
    for (const auto& s : last_.injected_faults)
      if (!s.empty())
        std::cout << "  " << s << '\n';
    std::cout << "again: steadfast-sim --runs 1 --trace --seed " << smallest_.seed << partitions_option(smallest_)
              << " --tasks " << smallest_.tasks;
    print_list(" --faults ", smallest_.faults);
    print_list(" --skip ", smallest_.skipped);
    std::cout << '\n';
  }

  template <class Set>
  static void print_list(const char* option, const Set& s) {
    for (const auto& x : s)
      std::cout << (&x == &*s.begin() ? option : ",") << x;
  }

  tests::temp_folder folder_{tests::fast_place()};
  request smallest_;
  run_result last_;
};

} // namespace

bool shrink(request q) {
  return shrinking{std::move(q)}.go();
}

} // namespace steadfast::simulation
