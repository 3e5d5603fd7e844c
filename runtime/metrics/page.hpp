#pragma once

#include "actors/common/figures.hpp"
#include "runtime/metrics/catalog.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast {

/// A page while it is written: values for metrics of the catalogue, with a text for each of the metric's labels. What
/// has the same labels is added up.
class page_writer {
public:
  static constexpr std::size_t values_max = 200; ///< of one label; what comes later is under "other"
  using label_texts = std::vector<std::string>;

  void add(std::string_view name, double value, const label_texts& labels = {});
  /// The largest counts, instead of the sum.
  void add_largest(std::string_view name, double value, const label_texts& labels = {});
  /// Likewise the least.
  void add_least(std::string_view name, double value, const label_texts& labels = {});
  /// Where one unit of the reading is `unit` of the metric: 1e-6 for microseconds.
  void add(std::string_view name, const actors::histogram::reading& r, double unit, const label_texts& labels = {});

  /// Every metric of the catalogue; of those without a value the name alone.
  std::string text() const;

private:
  struct counted {
    double value = 0;
    bool is_set = false;        ///< by add_least
    std::vector<double> bounds; ///< this and the rest: of a histogram
    std::vector<std::uint64_t> counts;
  };
  struct written {
    const metric* what = nullptr;
    std::map<label_texts, counted> all;
    std::vector<std::set<std::string>> known; ///< by label
  };

  counted& at(std::string_view name, const label_texts& labels);

  std::map<std::string_view, written> written_;
};

} // namespace steadfast
