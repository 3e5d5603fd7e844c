#include "actors/scheduling/place_book.hpp"

#include "actors/common/state_tree.hpp"
#include "workflow/supervision/fair_share.hpp"

namespace steadfast::actors {

void place_book::take(const std::string& workflow) {
  ++shares_[workflow].in_flight;
  if (last_taken_ != workflow)
    last_taken_ = workflow;
}

void place_book::leave(const std::string& workflow) {
  const auto found = shares_.find(workflow);
  if (found == shares_.end())
    return;
  auto& s = found->second;
  s.in_flight -= s.in_flight > 0 ? 1 : 0;
}

void place_book::give_back(const std::string& workflow, workflow::instant until) {
  shares_[workflow].given_back.insert(until);
}

std::vector<store::workflow_load> place_book::loads(workflow::instant now) {
  std::vector<store::workflow_load> all;
  for (auto i = shares_.begin(); i != shares_.end();) {
    auto& s = i->second;
    s.given_back.erase(s.given_back.begin(), s.given_back.upper_bound(now));
    if (s.in_flight == 0 && s.given_back.empty()) {
      i = shares_.erase(i);
      continue;
    }
    all.push_back({i->first, workflow::load_of(s.in_flight, s.given_back.size())});
    ++i;
  }
  return all;
}

state_value place_book::tree(std::size_t listed_max) const {
  return listed(shares_, listed_max, [](const auto& x) -> state_tree {
    return {{"workflow", x.first},
            {"in_flight", x.second.in_flight},
            {"given_back", x.second.given_back.size()},
            {"next_due", x.second.given_back.empty() ? workflow::never : *x.second.given_back.begin()}};
  });
}

} // namespace steadfast::actors
