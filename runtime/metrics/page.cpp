#include "runtime/metrics/page.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace steadfast {

namespace {

constexpr const char* others = "other";

const metric& metric_named(std::string_view name) {
  const auto& all = metric_catalog();
  const auto found = std::find_if(all.begin(), all.end(), [&](const metric& m) { return m.name == name; });
  if (found == all.end())
    throw std::logic_error{"there is no metric " + std::string{name}};
  return *found;
}

prometheus::MetricType type_of(metric_kind k) {
  switch (k) {
    case metric_kind::counter: return prometheus::MetricType::Counter;
    case metric_kind::gauge: return prometheus::MetricType::Gauge;
    case metric_kind::histogram: return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

} // namespace

page_writer::counted& page_writer::at(std::string_view name, const label_texts& labels) {
  auto& w = written_[name];
  if (w.what == nullptr) {
    w.what = &metric_named(name);
    w.known.resize(w.what->labels.size());
  }
  if (labels.size() != w.known.size())
    throw std::logic_error{std::string{name} + " has other labels"};
  auto bounded = labels;
  for (std::size_t i = 0; i < bounded.size(); ++i)
    if (auto& known = w.known[i]; !known.contains(bounded[i])) {
      if (known.size() < values_max)
        known.insert(bounded[i]);
      else
        bounded[i] = others;
    }
  return w.all[bounded];
}

void page_writer::add(std::string_view name, double value, const label_texts& labels) {
  at(name, labels).value += value;
}

void page_writer::add_largest(std::string_view name, double value, const label_texts& labels) {
  auto& there = at(name, labels).value;
  there = std::max(there, value);
}

void page_writer::add_least(std::string_view name, double value, const label_texts& labels) {
  auto& there = at(name, labels);
  there.value = std::exchange(there.is_set, true) ? std::min(there.value, value) : value;
}

void page_writer::add(std::string_view name, const actors::histogram::reading& r, double unit,
                      const label_texts& labels) {
  auto& there = at(name, labels);
  there.value += static_cast<double>(r.sum) * unit;
  if (there.counts.empty()) {
    there.counts.resize(r.counts.size());
    for (const auto b : r.bounds)
      there.bounds.push_back(static_cast<double>(b) * unit);
  }
  for (std::size_t i = 0; i < there.counts.size(); ++i)
    there.counts[i] += r.counts.at(i);
}

std::string page_writer::text() const {
  std::vector<prometheus::MetricFamily> families;
  for (const auto& m : metric_catalog()) {
    auto& family = families.emplace_back();
    family.name = m.name;
    family.help = m.meaning;
    family.type = type_of(m.is);
    const auto found = written_.find(m.name);
    if (found == written_.end())
      continue;
    for (const auto& [labels, figure] : found->second.all) {
      auto& one = family.metric.emplace_back();
      for (std::size_t i = 0; i < labels.size(); ++i)
        one.label.push_back({std::string{m.labels[i]}, labels[i]});
      one.counter.value = one.gauge.value = figure.value;
      one.histogram.sample_sum = figure.value;
      for (std::size_t i = 0; i < figure.counts.size(); ++i) {
        one.histogram.sample_count += figure.counts[i];
        if (i < figure.bounds.size())
          one.histogram.bucket.push_back({one.histogram.sample_count, figure.bounds[i]});
      }
    }
  }
  return prometheus::TextSerializer{}.Serialize(families);
}

} // namespace steadfast
