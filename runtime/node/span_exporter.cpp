#include "runtime/node/span_exporter.hpp"

#include "actors/agents/http/http_caller.hpp"
#include "runtime/logging/log.hpp"
#include "workflow/outward/spans.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t tasks_in_request = 256;
constexpr milliseconds batch_delay{1000};   ///< before what waits is sent
constexpr milliseconds request_limit{5000}; ///< of the collector, to take a request
constexpr milliseconds last_limit{1000};    ///< likewise, when the node ends
constexpr std::uint64_t collector_answer_max = 64 << 10;

json attribute(const std::string& name, const std::string& value) {
  return {{"key", name}, {"value", {{"stringValue", value}}}};
}

/// Numbers of 64 bits are texts in OTLP's JSON.
std::string nanoseconds_of(workflow::instant at) {
  return std::to_string(std::chrono::nanoseconds{at.time_since_epoch()}.count());
}

json span_json(const workflow::span_told& s, const std::string& trace) {
  constexpr int internal = 1;
  constexpr int client = 3;
  constexpr int status_ok = 1;
  constexpr int status_error = 2;
  json span{{"traceId", trace},
            {"spanId", workflow::span_text(s.id)},
            {"name", s.name},
            {"kind", s.is_call ? client : internal},
            {"startTimeUnixNano", nanoseconds_of(s.began_at)},
            {"endTimeUnixNano", nanoseconds_of(s.ended_at)},
            {"attributes", json::array()},
            {"status", {{"code", s.has_failed ? status_error : status_ok}}}};
  if (s.parent != 0)
    span["parentSpanId"] = workflow::span_text(s.parent);
  if (!s.message.empty())
    span["status"]["message"] = s.message;
  for (const auto& [name, value] : s.attributes)
    span["attributes"].push_back(attribute(name, value));
  return span;
}

std::unique_ptr<actors::caller> collector_of(const tracing_options& options, actors::call_over over) {
  auto o = options.collector;
  for (const auto& [name, value] : options.secrets) {
    o.headers[name] = value.reveal();
    o.secrets.push_back(value.reveal());
  }
  const auto nothing_more = [](const actors::call&, const actors::add_header&) {};
  return actors::make_http_caller(o, collector_answer_max, std::move(over), nothing_more);
}

} // namespace

std::string otlp_request(const std::vector<std::pair<workflow::task, workflow::definition>>& tasks,
                         const std::string& node, std::uint32_t sampled_percent) {
  auto spans = json::array();
  for (const auto& [t, d] : tasks) {
    const auto x = workflow::trace_of(t, sampled_percent);
    if (!x.is_sampled)
      continue;
    for (const auto& s : workflow::spans_of(t, d, x))
      spans.push_back(span_json(s, workflow::trace_text(x)));
  }
  if (spans.empty())
    return {};
  json resource;
  resource["attributes"] =
    json::array({attribute("service.name", "steadfast"), attribute("service.instance.id", node)});
  json of_scope;
  of_scope["scope"] = {{"name", "steadfast"}, {"version", STEADFAST_VERSION}};
  of_scope["spans"] = std::move(spans);
  json of_resource;
  of_resource["resource"] = std::move(resource);
  of_resource["scopeSpans"].push_back(std::move(of_scope));
  json request;
  request["resourceSpans"].push_back(std::move(of_resource));
  return request.dump(-1, ' ', false, json::error_handler_t::replace);
}

span_exporter::span_exporter(tracing_options options, std::string node, std::shared_ptr<const store::state_store> store,
                             std::shared_ptr<trace_figures> figures)
    : options_{std::move(options)},
      node_{std::move(node)},
      store_{std::move(store)},
      figures_{std::move(figures)},
      collector_{collector_of(options_,
                              [this](actors::call_ticket ticket, actors::answer a) {
                                const std::lock_guard lock{mutex_};
                                if (const auto asked = answers_.extract(ticket))
                                  asked.mapped()->set_value(std::move(a));
                              })},
      thread_{[this](const std::stop_token& end) { serve(end); }} {}

span_exporter::~span_exporter() = default;

void span_exporter::on_end(std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  if (waiting_.size() < options_.tasks_max)
    waiting_.push_back(number);
  else
    ++figures_->dropped;
  if (waiting_.size() == tasks_in_request)
    changed_.notify_all();
}

void span_exporter::serve(const std::stop_token& end) {
  for (bool is_last = false; !is_last;) {
    std::vector<std::uint64_t> tasks;
    {
      std::unique_lock lock{mutex_};
      changed_.wait_for(lock, end, batch_delay, [this] { return waiting_.size() >= tasks_in_request; });
      is_last = end.stop_requested();
      const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), tasks_in_request));
      tasks.assign(waiting_.begin(), waiting_.begin() + count);
      waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    }
    if (tasks.empty())
      continue;
    const bool is_taken = send_all(tasks, is_last ? last_limit : request_limit);
    (is_taken ? figures_->sent : figures_->dropped) += tasks.size();
  }
}

bool span_exporter::send_all(const std::vector<std::uint64_t>& tasks, std::chrono::milliseconds limit) {
  try {
    const auto request = request_for(tasks);
    return request.empty() || send(request, limit);
  } catch (const store::store_error& e) {
    log_line("warning", "the spans of " + std::to_string(tasks.size())
                          + " tasks are dropped, because the store cannot be read: " + e.what());
    return false;
  }
}

/// Whether the collector took it. It is not sent again: what comes after it is worth more.
bool span_exporter::send(const std::string& request, std::chrono::milliseconds limit) {
  const auto answered = std::make_shared<std::promise<actors::answer>>();
  auto answer = answered->get_future();
  const auto ticket = ++last_ticket_;
  {
    const std::lock_guard lock{mutex_};
    answers_[ticket] = answered;
  }
  actors::call c;
  c.input = request;
  collector_->start(ticket, std::move(c));
  const bool is_late = answer.wait_for(limit) == std::future_status::timeout;
  if (is_late)
    collector_->stop(ticket); // which is its answer, or it has one
  const auto how = answer.get();
  const bool is_taken = how.kind == actors::report_kind::succeeded;
  if (is_taken == is_away_)
    log_line(is_taken ? "info" : "warning", is_taken
                                              ? "the collector of spans takes them again"
                                              : "the collector of spans does not take them, and they are dropped: "
                                                  + (is_late ? "no answer in time" : how.why));
  is_away_ = !is_taken;
  return is_taken;
}

std::string span_exporter::request_for(const std::vector<std::uint64_t>& tasks) const {
  std::vector<std::pair<workflow::task, workflow::definition>> found;
  for (const auto number : tasks)
    if (auto t = store_->find(number))
      if (auto d = store_->find_definition(t->workflow, t->version))
        found.emplace_back(*std::move(t), *std::move(d));
  return otlp_request(found, node_, options_.sampled_percent);
}

} // namespace steadfast
