#include "tests/fuzz/support/asked_node.hpp"

#include "runtime/control/control_methods.hpp"
#include "runtime/logging/log.hpp"
#include "runtime/node/node_inside.hpp"
#include "runtime/text/address.hpp"
#include "tests/fuzz/support/scratch.hpp"

#include <algorithm>

namespace steadfast::fuzz {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t inputs_max = 2000;

fs::path files() {
  return scratch_folder() / "files";
}

workflow::definition trip() {
  workflow::definition d;
  d.name = "trip";
  d.steps.resize(3);
  const char* const names[] = {"hotel", "flight", "visa"};
  for (std::size_t i = 0; i < d.steps.size(); ++i) {
    auto& s = d.steps[i];
    s.name = names[i];
    s.agent = i == 2 ? "refuses" : "echo";
    s.retry.attempts = 1;
    s.compensation = workflow::compensation{};
    s.compensation->agent = "echo";
  }
  d.steps[2].when = workflow::condition{"hotel", "/visa", workflow::condition::test::equals, "true"};
  d.steps[2].exhausted = workflow::on_exhausted::error;
  return d;
}

std::unique_ptr<assembled_node> make_node() {
  node_options o;
  o.name = "one";
  o.store.path = scratch_folder() / "store";
  o.store.size_max = 256 << 20;
  o.store.size_reserve = 1 << 20;
  o.store.journal_max = o.store.size_reserve / store::journal_growth;
  o.socket.clear();
  o.drain_limit = workflow::span{100};
  auto n = std::make_unique<assembled_node>(std::move(o));
  n->add_workflow(trip());
  const node_inside inside{*n};
  inside.add_agent("echo", actors::quick_function{[](const actors::call& c) { return actors::succeeded(c.input); }});
  inside.add_agent("refuses",
                   actors::quick_function{[](const actors::call&) { return actors::failed_for_good("no"); }});
  n->start();
  return n;
}

/// A name in files() in place of any path.
json tamed(json params, const char* name) {
  if (!params.is_object() || !params.contains(name) || !params[name].is_string())
    return params;
  auto file = params[name].get<std::string>().substr(0, 40);
  std::replace(file.begin(), file.end(), '/', '_');
  params[name] = (files() / ("f" + file)).string();
  return params;
}

control_methods tame_methods(const assembled_node& n) {
  auto all = methods_of(node_inside{n}.system(), node_inside{n}.parts());
  for (const auto& [method, file] : {std::pair{"store.copy", "to"}, {"store.export", "to"}, {"store.import", "from"}})
    all[method] = [run = all[method], file = file](const json& params) { return run(tamed(params, file)); };
  all["node.drain"] = [](const json&) -> json { throw api::error{api::error::refused, "it would be its end"}; };
  return all;
}

} // namespace

asked_node& asked_node::get() {
  thread_local asked_node n; // not static: CAF's thread-local parts would be gone when it is stopped
  return n;
}

asked_node::asked_node() {
  start_log({"off", false, {}});
  start();
}

asked_node::~asked_node() {
  stop();
}

fs::path asked_node::socket() const {
  return scratch_folder() / "control.sock";
}

void asked_node::start() {
  fs::create_directory(files());
  node_ = make_node();
  control_options o;
  o.socket = socket();
  o.frame_max = frame_max;
  const auto methods = tame_methods(*node_);
  server_ = std::make_unique<control_server>(o, methods);
  http_server_options h;
  h.listen = "127.0.0.1:" + std::to_string(runtime::free_ports(1).front());
  h.body_size_max = frame_max;
  http_ = std::make_unique<runtime::http_server>(
    h, runtime::http_content{.methods = methods, .metrics = [] { return std::string{}; }});
}

void asked_node::stop() {
  http_.reset();
  server_.reset();
  node_.reset();
  fs::remove_all(scratch_folder() / "store");
}

void asked_node::tidy_up() {
  for (const auto& entry : fs::directory_iterator{files()})
    fs::remove_all(entry);
  if (++inputs_ % inputs_max != 0)
    return;
  stop();
  start();
}

} // namespace steadfast::fuzz
