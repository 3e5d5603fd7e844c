#include "examples/services/business/business.hpp"

#include "examples/services/requests/hash.hpp"

#include <algorithm>

namespace services {

const std::vector<business>& businesses() {
  static const auto all = [] {
    auto list = drone_delivery_businesses();
    const auto orders = order_processing_businesses();
    list.insert(list.end(), orders.begin(), orders.end());
    const auto slow = slow_businesses();
    list.insert(list.end(), slow.begin(), slow.end());
    return list;
  }();
  return all;
}

const business* find_business(std::string_view name) {
  const auto& all = businesses();
  const auto found = std::find_if(all.begin(), all.end(), [&](const business& b) { return b.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string id_from_key(std::string_view prefix, const std::string& key) {
  return std::string{prefix} + hash_text(key).substr(0, 10);
}

} // namespace services
