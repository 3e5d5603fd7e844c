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

told_by_parts ask_all(caf::actor_system& sys, const node_parts& parts) {
  caf::scoped_actor self{sys};
  told_by_parts told;
  const auto own = parts.own->get();
  told.has_store = static_cast<bool>(own.reader);
  auto actors = self->request(parts.front, metrics_limit, actors::list_actors{});
  if (told.has_store) {
    actors::list_incidents open;
    open.max = incidents_read;
    auto stats = self->request(own.reader, metrics_limit, actors::show_stats{});
    std::vector<decltype(stats)> of_partitions;
    if (own.partitions.size() > 1)
      for (std::size_t i = 0; i < own.partitions.size(); ++i) {
        const auto& here = own.partitions[i].reader;
        const auto reader = here ? here : actors::reader_actor{parts.partition_links.at(i)};
        of_partitions.push_back(self->request(reader, metrics_limit, actors::show_stats{}));
      }
    auto leases = self->request(own.reader, metrics_limit, actors::list_leases{});
    auto incidents = self->request(own.reader, metrics_limit, open);
    take(told.stats, stats);
    for (auto& p : of_partitions) {
      std::optional<actors::boxed<store::store_stats>> one;
      take(one, p);
      if (one)
        told.of_partitions.push_back(*std::move(one));
    }
    if (told.of_partitions.size() < of_partitions.size()) // then the fullest may not be among them
      told.of_partitions.clear();
    take(told.leases, leases);
    take(told.incidents, incidents);
  }
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
