#pragma once

#include "workflow/step/attempt_record.hpp"
#include "workflow/step/shared_value.hpp"

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace steadfast::workflow {

/// The lines of a step's story, the oldest first. Copies share them until one of them changes.
class attempt_log {
public:
  using lines = std::vector<attempt_record>;
  using value_type = attempt_record;
  using const_iterator = lines::const_iterator;

  attempt_log() = default;
  attempt_log(std::initializer_list<attempt_record> all) : lines_{lines{all}} {}
  explicit attempt_log(lines all) : lines_{std::move(all)} {}

  const lines& all() const { return lines_ ? *lines_ : none; }
  std::size_t size() const { return all().size(); }
  bool empty() const { return all().empty(); }
  const_iterator begin() const { return all().begin(); }
  const_iterator end() const { return all().end(); }
  auto rbegin() const { return all().rbegin(); }
  auto rend() const { return all().rend(); }
  const attempt_record& operator[](std::size_t i) const { return all()[i]; }
  const attempt_record& back() const { return all().back(); } ///< REQUIRES: not empty

  /// The lines, to be changed. Copies that were made before stay as they were.
  lines& change() {
    if (!lines_)
      lines_ = shared_value<lines>{lines{}};
    return lines_.change();
  }

  friend bool operator==(const attempt_log& a, const attempt_log& b) {
    return a.lines_.is_same(b.lines_) || a.all() == b.all();
  }

private:
  inline static const lines none{};

  shared_value<lines> lines_;
};

} // namespace steadfast::workflow
