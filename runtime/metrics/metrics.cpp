// Asks the parts of the node at the same time, and writes down what those tell that answer.

#include "runtime/metrics/metrics.hpp"

#include "runtime/assembly/assembly.hpp"
#include "runtime/metrics/told.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace steadfast {

namespace {

constexpr std::uint32_t incidents_read = 1000;

/// Waits for one of the answers; all have the same limit, which began when they were asked for.
template <class Answer, class Response>
void take(std::optional<Answer>& into, Response&& response) {
  response.receive([&](Answer& a) { into = std::move(a); }, [](const caf::error&) {});
}

/// Those that answered, if all did.
template <class Responses>
std::vector<actors::boxed<store::store_stats>> all_stats(Responses& asked) {
  std::vector<actors::boxed<store::store_stats>> all;
  for (auto& a : asked) {
    std::optional<actors::boxed<store::store_stats>> one;
    take(one, a);
    if (one)
      all.push_back(*std::move(one));
  }
  if (all.size() < asked.size())
    all.clear();
  return all;
}

told_by_parts ask_all(caf::actor_system& sys, const node_parts& parts) {
  caf::scoped_actor self{sys};
  told_by_parts told;
  const auto own = parts.own->get();
  const auto ask_stats = [&](const auto& reader) { return self->request(reader, metrics_limit, actors::show_stats{}); };
  using asked_stats = decltype(ask_stats(own.reader));
  told.has_store = static_cast<bool>(own.reader);
  auto actors = self->request(parts.front, metrics_limit, actors::list_actors{});
  std::vector<asked_stats> of_own;
  std::vector<asked_stats> of_others; ///< whose fullness counts at the node that has the store
  for (std::size_t i = 0; i < own.partitions.size() && own.partitions.size() > 1; ++i)
    if (const auto& here = own.partitions[i].reader)
      of_own.push_back(ask_stats(here));
    else if (told.has_store)
      of_others.push_back(ask_stats(actors::reader_actor{parts.partition_links.at(i)}));
  if (told.has_store) {
    actors::list_incidents open;
    open.max = incidents_read;
    auto stats = ask_stats(own.reader);
    auto leases = self->request(own.reader, metrics_limit, actors::list_leases{});
    auto incidents = self->request(own.reader, metrics_limit, open);
    take(told.stats, stats);
    take(told.leases, leases);
    take(told.incidents, incidents);
  }
  told.of_own = all_stats(of_own);
  const auto others = all_stats(of_others);
  if (told.of_own.size() == of_own.size() && others.size() == of_others.size()) { // else the fullest may be missing
    told.of_partitions = told.of_own;
    told.of_partitions.insert(told.of_partitions.end(), others.begin(), others.end());
  }
  if (own.partitions.size() == 1 && told.stats)
    told.of_own = {*told.stats};
  take(told.actors, actors);
  return told;
}

} // namespace

metrics_page metrics_of(caf::actor_system& sys, const node_parts& parts) {
  page_writer page;
  const auto told = ask_all(sys, parts);
  write_actor_metrics(page, told);
  write_store_metrics(page, told);
  write_counted_metrics(page, parts);
  write_process_metrics(page, parts.name);
  return {page.text()};
}

} // namespace steadfast
