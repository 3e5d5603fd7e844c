#include "simulation/services/injected_faults.hpp"

namespace steadfast::simulation {

namespace {

using namespace std::chrono_literals;
using kind = injected_fault::kind;

std::uint32_t sometimes(chance& c, std::uint32_t permille_max) {
  return c.happens(500) ? static_cast<std::uint32_t>(c.below(permille_max + 1)) : 0;
}

/// How likely each is, of 1000, and how long it lasts.
struct habit {
  kind what;
  std::uint32_t permille;
  workflow::span least;
  workflow::span most;
};
constexpr habit habits[] = {
  {kind::kill, 330, 10ms, 30s},        {kind::stop, 70, 10ms, 30s},          {kind::freeze, 170, 100ms, 40s},
  {kind::freeze, 10, 10min, 10min},    {kind::cut, 190, 100ms, 60s},         {kind::slow_store, 120, 100ms, 5s},
  {kind::hang_scheduler, 35, 1s, 60s}, {kind::hang_supervisor, 35, 1s, 60s}, {kind::no_supervisor, 5, 1h, 1h},
  {kind::power_cut, 15, 10ms, 30s},    {kind::stray_answers, 20, 0ms, 0ms},
};

const habit& draw_habit(chance& c) {
  auto luck = c.below(1000);
  for (const auto& h : habits) {
    if (luck < h.permille)
      return h;
    luck -= h.permille;
  }
  return habits[0];
}

} // namespace

std::string_view name_of(injected_fault::kind k) {
  switch (k) {
    case kind::kill: return "kill";
    case kind::stop: return "stop";
    case kind::freeze: return "freeze";
    case kind::cut: return "cut";
    case kind::slow_store: return "slow_store";
    case kind::hang_scheduler: return "hang_scheduler";
    case kind::hang_supervisor: return "hang_supervisor";
    case kind::no_supervisor: return "no_supervisor";
    case kind::power_cut: return "power_cut";
    case kind::stray_answers: return "stray_answers";
  }
  return "?";
}

std::set<std::string> all_faults() {
  std::set<std::string> all{"wire", "disk", "medium", "clocks", "services", "poison", "moves"};
  for (const auto& h : habits)
    all.emplace(name_of(h.what));
  return all;
}

fault_rates draw_fault_rates(chance& c, workflow::span wall_error_max) {
  fault_rates w;
  w.wire.lost_permille = sometimes(c, 100);
  w.wire.doubled_permille = sometimes(c, 100);
  w.wire.stalled_permille = sometimes(c, 10);
  w.wire.garbled_permille = sometimes(c, 2);
  w.wire.delay_max = c.happens(200) ? 3000ms : 30ms;
  w.disk.dies_before_permille = sometimes(c, 3);
  w.disk.dies_after_permille = sometimes(c, 3);
  w.disk.unknown_permille = sometimes(c, 20);
  w.disk.full_permille = sometimes(c, 20);
  w.service.refuses = 1000 * sometimes(c, 60);
  w.service.refuses_undo = 1000 * sometimes(c, 60);
  w.service.busy = 1000 * sometimes(c, 200);
  w.service.fails = 1000 * sometimes(c, 100);
  w.service.hangs = 1000 * sometimes(c, 60);
  w.service.goes_silent = 1000 * sometimes(c, 60);
  w.service.acts_late = 1000 * sometimes(c, 60);
  w.service.latency_max = c.happens(200) ? 6000ms : 100ms;
  w.wall_error = c.happens(300) ? wall_error_max : workflow::span{0};
  w.drift_permille = c.happens(300) ? 10 : 0;
  w.between_faults = c.between(2s, 62s);
  return w;
}

std::vector<injected_fault> draw_faults(chance& c, const fault_rates& w, std::size_t nodes, workflow::span until) {
  std::vector<injected_fault> all;
  for (auto at = c.between(1ms, 2 * w.between_faults); at < until; at += c.between(1ms, 2 * w.between_faults)) {
    injected_fault s;
    s.at = at;
    const auto& h = draw_habit(c);
    s.what = h.what;
    s.node = c.below(nodes);
    s.other = c.below(nodes);
    s.time = c.between(h.least, h.most);
    s.both = c.happens(h.what == kind::kill ? 700 : 500);
    if (s.what != kind::cut || s.node != s.other)
      all.push_back(s);
  }
  return all;
}

std::string text_of(const injected_fault& s) {
  const auto node = [](std::size_t i) { return "node-" + std::to_string(i + 1); };
  std::string text = "at " + std::to_string(s.at.count()) + " ms: " + std::string{name_of(s.what)};
  if (s.what == kind::cut)
    text += " " + node(s.node) + (s.both ? " <-> " : " -> ") + node(s.other);
  else if (s.what != kind::slow_store && s.what != kind::no_supervisor && s.what != kind::power_cut)
    text += " " + node(s.node);
  if (s.time > workflow::span{0})
    text += " for " + std::to_string(s.time.count()) + " ms";
  return text;
}

} // namespace steadfast::simulation
