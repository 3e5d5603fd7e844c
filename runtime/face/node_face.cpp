#include "runtime/face/node_face.hpp"

#include "client/client_calls.hpp"
#include "client/exact_json.hpp"
#include "runtime/configuration/config_file.hpp"
#include "runtime/control/control_methods.hpp"
#include "runtime/face/agent_face.hpp"
#include "runtime/face/task_gateway.hpp"
#include "runtime/face/workflow_face.hpp"
#include "runtime/logging/log.hpp"
#include "runtime/toml/config_error.hpp"

#include <caf/logger.hpp>

#include <mutex>
#include <utility>

namespace steadfast {

namespace {

using nlohmann::json;

node_options options_of(node_settings s) {
  node_options o;
  o.name = std::move(s.name);
  o.store.path = std::move(s.store);
  o.socket = std::move(s.socket);
  o.in_flight_max = s.in_flight_max;
  o.threads = s.threads;
  o.drain_limit = s.drain_limit;
  o.log.level = std::move(s.log_level);
  o.log.file = std::move(s.log_file);
  return o;
}

node_options options_in(const std::filesystem::path& file) {
  try {
    return load_config(file);
  } catch (const runtime::config_error& e) {
    throw node_error{e.what()};
  }
}

/// In a thread that spawns actors or talks to them, CAF 0.17 leaves a reference to the logger of their system, and the
/// end of the system waits for the last one. This releases it, so that any other thread may stop the node.
struct caf_logger_release {
  caf_logger_release() = default;
  caf_logger_release(const caf_logger_release&) = delete;
  caf_logger_release& operator=(const caf_logger_release&) = delete;
  ~caf_logger_release() { caf::logger::set_current_actor_system(nullptr); }
};

} // namespace

node::implementation::implementation(node_options options) : inner{options}, log_{options.log} {}

node::implementation::~implementation() {
  stop();
}

void node::implementation::start() {
  if (runs_)
    throw node_error{"the node runs already"};
  start_log(log_);
  const caf_logger_release of_this_thread;
  inner.start();
  try {
    methods_ = methods_of(inside().system(), inside().parts());
    const auto& parts = inside().parts();
    gateway_ = runtime::spawn_task_gateway(inside().system(), parts.gateway, parts.reader);
  } catch (const std::exception& e) {
    inner.stop();
    throw node_error{e.what()};
  }
  runs_ = true;
}

std::vector<std::string> node::implementation::stop(std::optional<workflow::span> function_limit) {
  if (!runs_.exchange(false))
    return {};
  const std::lock_guard no_more_calls{calls_};
  actors::exit_now(std::exchange(gateway_, task_gateway{}));
  methods_.clear();
  return inner.stop(function_limit);
}

const task_gateway& node::implementation::gateway() const {
  if (!runs_)
    throw node_error{"the node does not run: start() it first"};
  return gateway_;
}

json node::implementation::call(const std::string& method, const json& params) {
  const std::shared_lock under_way{calls_};
  const caf_logger_release of_this_thread;
  if (!runs_)
    throw client_error{client_error::kind::unreachable, "the node does not run: start() it first"};
  const auto found = methods_.find(method);
  if (found == methods_.end())
    throw client_error{client_error::kind::refused, "there is no method `" + method + "`"};
  try {
    auto answer = found->second(params);
    return with_doubles(std::move(answer));
  } catch (const api::error& e) {
    throw error_of(e.number(), e.what(), e.retry_after());
  } catch (const json::exception& e) {
    throw client_error{client_error::kind::refused, std::string{"params: "} + e.what()};
  } catch (const std::exception& e) {
    throw client_error{client_error::kind::timed_out, std::string{e.what()} + "; the outcome is unknown"};
  }
}

node::node(node_settings settings) : node{std::make_unique<implementation>(options_of(std::move(settings)))} {}
node::node(std::unique_ptr<implementation> impl) : impl_{std::move(impl)} {}
node::~node() = default;
node::node(node&&) noexcept = default;
node& node::operator=(node&&) noexcept = default;

node node::from_config(const std::filesystem::path& file) {
  return node{std::make_unique<implementation>(options_in(file))};
}

void node::add_agent(const std::string& name, agent_function run, const agent_options& options) {
  impl_->inside().add_agent(name, runtime::inner(std::move(run)), runtime::inner(options));
}

void node::add_workflow(const workflow_builder& w) {
  impl_->inner.add_workflow(workflow_access::of(w));
}

void node::on_fatal(std::function<void(const std::string&)> handler) {
  impl_->inner.on_fatal(std::move(handler));
}

void node::start() {
  impl_->start();
}

std::vector<std::string> node::stop() {
  return impl_->stop();
}

std::vector<std::string> node::stop(std::chrono::milliseconds function_limit) {
  return impl_->stop(function_limit);
}

submitted node::submit(const std::string& workflow, const std::string& payload, const submit_options& options) {
  return steadfast::submit(impl_->asker(), workflow, payload, options);
}

std::string node::wait(const std::string& id, std::chrono::milliseconds limit) {
  return steadfast::wait(impl_->asker(), id, limit);
}

json node::show(const std::string& id) {
  return steadfast::show(impl_->asker(), id);
}

json node::result(const std::string& id) {
  return steadfast::result(impl_->asker(), id);
}

void node::complete_step(const std::string& token, const std::string& result) {
  steadfast::complete_step(impl_->asker(), token, result);
}

void node::fail_step(const std::string& token, const step_failure& how) {
  steadfast::fail_step(impl_->asker(), token, how);
}

void node::extend_step(const std::string& token, const std::string& progress, std::chrono::milliseconds length) {
  steadfast::extend_step(impl_->asker(), token, progress, length);
}

std::uint64_t node::send_event(const std::string& name, const std::string& key, const std::string& data,
                               const std::string& who, const std::string& id) {
  return steadfast::send_event(impl_->asker(), name, key, data, who, id);
}

bool node::put_schedule(const schedule& s, const std::string& who, const std::string& why) {
  return steadfast::put_schedule(impl_->asker(), s, who, why);
}

json node::call(const std::string& method, const json& params) {
  return impl_->call(method, params);
}

} // namespace steadfast
