#include "runtime/http/http_api.hpp"

#include "api/error.hpp"
#include "api/names.hpp"
#include "api/route.hpp"
#include "runtime/events/event_stream.hpp"
#include "runtime/http/http_callers.hpp"
#include "runtime/http/http_submissions.hpp"
#include "runtime/http/messages/http_answer.hpp"
#include "runtime/http/messages/http_parameters.hpp"
#include "runtime/http/messages/http_text.hpp"
#include "runtime/http/openapi.hpp"
#include "runtime/http/page.hpp"
#include "runtime/http/shared_call.hpp"
#include "workflow/text/name.hpp"
#include "workflow/text/split.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <optional>
#include <utility>

namespace steadfast::runtime {

namespace {

using boost::beast::http::field;
using nlohmann::json;
using std::chrono::milliseconds;
namespace http = boost::beast::http;

constexpr milliseconds look_at_caller_every{1000};
constexpr milliseconds ready_limit{2000}; ///< until who asks whether the node is ready is told that it is not

std::optional<api::verb> verb_of(http::verb v) {
  switch (v) {
    case http::verb::get:
    case http::verb::head: return api::verb::get;
    case http::verb::put: return api::verb::put;
    case http::verb::post: return api::verb::post;
    default: return std::nullopt;
  }
}

/// One request, from when it is read until it is answered; shared by all that may answer it.
struct exchange {
  http_request request;
  http_reply reply;
  http_target target;
  http_caller caller;
  bool is_audited = false;        ///< it changes something
  std::optional<std::string> who; ///< its parameter of that name; nothing: it was refused before that was read
};
using exchange_ptr = std::shared_ptr<exchange>;

/// Without the query, in which there may be payloads, and tokens of steps.
std::string path_of(const http_request& r) {
  const std::string target{r.message.target()};
  return target.substr(0, target.find('?'));
}

log_entry audit_entry(const exchange& x, unsigned status) {
  const auto& peer = x.request.peer;
  const auto& name = x.caller.name;
  const std::string method{to_string(verb_of(x.request.message.method()).value())};
  const auto path = path_of(x.request);
  log_entry e{"info", "http: " + (name.empty() ? peer : name) + " " + method + " " + path, "http request"};
  if (x.who)
    e.text += " for " + (x.who->empty() ? "nobody named" : *x.who);
  e.text += ": " + std::to_string(status);
  if (!name.empty())
    e.fields.emplace_back("caller", name);
  if (x.who && !x.who->empty())
    e.fields.emplace_back("who", *x.who);
  e.fields.insert(e.fields.end(),
                  {{"method", method}, {"path", path}, {"status", std::to_string(status)}, {"peer", peer}});
  return e;
}

/// Whether it may take long: it asks other nodes, or reads much of the store.
bool is_slow(const api::route& r, const json& params) {
  constexpr std::array found_by_reading{"text", "cause", "step", "agent"}; // filters of tasks without an index
  return r.is_slow || (r.method == api::task_list && std::ranges::any_of(found_by_reading, [&](const char* name) {
                         return params.contains(name);
                       }));
}

watch_parts with_pool(watch_parts p, std::function<void(std::function<void()>)> pool) {
  p.on_pool = std::move(pool);
  return p;
}

} // namespace

class http_api::implementation : public std::enable_shared_from_this<implementation> {
public:
  explicit implementation(http_api_parts p)
      : parts_{std::move(p)},
        callers_{parts_.options},
        watch_{{parts_.methods, hub_, parts_.on_pool, parts_.later}},
        log_{std::make_shared<event_log>(watch_.parts, parts_.clock_of_store)},
        readiness_{std::make_shared<shared_call>(
          shared_call_parts{parts_.store_trouble, parts_.for_readiness, parts_.later, ready_limit,
                            "nothing has been heard of the store for two seconds"})},
        refused_callers_{parts_.audit},
        submissions_{watch_.parts, parts_.options.logs_submissions ? parts_.audit : nullptr},
        openapi_{openapi_document(parts_.version)} {}

  void answer(http_request r, http_reply reply) {
    auto x = std::make_shared<exchange>();
    x->request = std::move(r);
    x->reply = std::move(reply);
    try {
      begin(x);
    } catch (...) {
      fail(x, problem_of(std::current_exception()));
    }
  }

  std::optional<http_response> why_no_body(const http_request& header) {
    auto problem = callers_.why_not_here(header);
    if (!problem) {
      auto who = callers_.who_asks(header, parts_.clock());
      if (const auto* const unknown = std::get_if<http_problem>(&who))
        problem = refused(header, *unknown);
    }
    if (!problem)
      return std::nullopt;
    auto r = refusal_of(*problem);
    dress(header, callers_.is_known_origin(header.header(field::origin)), r);
    return r;
  }

  void keep_up() {
    callers_.save_uses();
    refused_callers_.tell_rest(std::chrono::steady_clock::now());
  }

  void take(const task_changes& c) { hub_->take(c); }

  void close() {
    log_->close();
    hub_->close();
    refused_callers_.tell_rest(refused_callers::steady::max());
  }

private:
  // ---- the answer ----

  void finish(const exchange_ptr& x, http_response r) const {
    if (x->is_audited)
      parts_.audit(audit_entry(*x, r.status));
    dress(x->request, callers_.is_known_origin(x->request.header(field::origin)), r);
    x->reply(std::move(r));
  }

  static http_response refusal_of(const http_problem& p) {
    auto r = response_of(p);
    if (p.status == 401)
      r.headers.emplace_back("WWW-Authenticate", "Bearer");
    return r;
  }

  void fail(const exchange_ptr& x, const http_problem& p) const { finish(x, refusal_of(p)); }

  /// Makes a response of what a method gave, or of what it threw.
  template <class F>
  control_reply replies(const exchange_ptr& x, F response) const {
    return [self = shared_from_this(), x, response](const control_answer& a) {
      std::optional<http_response> r;
      try {
        r = response(a());
      } catch (...) {
        return self->fail(x, problem_of(std::current_exception()));
      }
      self->finish(x, std::move(*r));
    };
  }

  // ---- the way in ----

  void begin(const exchange_ptr& x) {
    const auto& m = x->request.message;
    auto target = parse_target({m.target().data(), m.target().size()});
    if (!target)
      return fail(x, {400, "bad_target", "the path has a wrong escape, or is none"});
    x->target = *std::move(target);
    if (is_at(x, {"health", "live"}))
      return finish(x, {200, "text/plain", "live\n"}); // whoever asks
    if (auto problem = callers_.why_not_here(x->request))
      return fail(x, *problem);
    if (m.method() == http::verb::options)
      return finish(x, preflight(x->request));
    if (is_at(x, {"health", "ready"}))
      return be_ready(x);
    if (verb_of(m.method()) == api::verb::get)
      if (auto page = page_of("/" + workflow::joined(x->target.segments, "/"),
                              takes_gzip(x->request.header(field::accept_encoding))))
        return finish(x, *std::move(page));
    auto who = callers_.who_asks(x->request, parts_.clock());
    if (const auto* problem = std::get_if<http_problem>(&who))
      return fail(x, refused(x->request, *problem));
    x->caller = std::get<http_caller>(std::move(who));
    if (const auto problem = why_too_often(x->caller, x->request.peer))
      return fail(x, *problem);
    route(x);
  }

  std::optional<http_problem> why_too_often(const http_caller& c, const std::string& peer) {
    const auto wait = callers_.too_often(c, peer, std::chrono::steady_clock::now());
    if (wait.count() == 0)
      return std::nullopt;
    return http_problem{429,
                        "too_many_requests",
                        "more than " + std::to_string(parts_.options.rate_max)
                          + " requests a second, which `http.rate_max` allows to one caller",
                        {},
                        wait};
  }

  /// What somebody is told who is not known: it counts against the address.
  http_problem refused(const http_request& r, const http_problem& why) {
    refused_callers_.add(r.peer, why.detail, std::chrono::steady_clock::now());
    return why_too_often({}, r.peer).value_or(why);
  }

  void tell_metrics(const exchange_ptr& x) const {
    if (!require(x, api::scope::read))
      return;
    if (!x->caller.workflows.empty())
      return fail(x, x->caller.not_its_workflow());
    on_pool(x, [](const implementation& self, const exchange_ptr& e) { self.finish(e, self.parts_.metrics()); });
  }

  static bool is_at(const exchange_ptr& x, const std::vector<std::string>& path) { return x->target.segments == path; }

  /// Ready: its store answers, and takes writes. Why it does not names nodes and addresses: only who may read is told.
  void be_ready(const exchange_ptr& x) const {
    const auto who = callers_.who_asks(x->request, parts_.clock());
    const auto* const caller = std::get_if<http_caller>(&who);
    const bool may_know = caller != nullptr && api::allows(caller->scopes, api::scope::read);
    readiness_->ask([self = shared_from_this(), x, may_know](const std::string& trouble) {
      if (trouble.empty())
        return self->finish(x, {200, "text/plain", "ready\n"});
      self->fail(x, {503,
                     "not_ready",
                     may_know ? trouble : "the store is away, or takes no writes: who may read is told why",
                     {},
                     busy_wait});
    });
  }

  void route(const exchange_ptr& x) {
    const auto verb = verb_of(x->request.message.method());
    const auto& s = x->target.segments;
    if (is_at(x, {"openapi.json"}) && verb == api::verb::get)
      return finish(x, {200, "application/json", openapi_});
    if (is_at(x, {"v1", "me"}) && verb == api::verb::get) {
      expect_no_query(x->target);
      return finish(x, json_response(json_of(x->caller)));
    }
    if (is_at(x, {"metrics"}) && verb == api::verb::get)
      return tell_metrics(x);
    if (is_at(x, {"v1", "tasks", "batch"}) && verb == api::verb::post)
      return submit_all(x);
    if (s.size() == 4 && s[0] == "v1" && s[1] == "tasks" && s[3] == "events" && verb == api::verb::get)
      return follow(x, s[2]);
    if (is_at(x, {"v1", "events"}) && verb == api::verb::get)
      return follow_all(x);
    const auto match = api::match(verb.value_or(api::verb::get), s);
    if (!verb || !match.found)
      return no_route(x, match);
    x->is_audited = *verb != api::verb::get && match.found->method != api::submit;
    if (!x->caller.is_by_role(*match.found) && !require(x, match.found->needs))
      return;
    if (match.found->is_about == api::route::about::new_task)
      if (const auto full = submissions_.why_full())
        return fail(x, *full);
    const auto& method = api::method_of(match.found->method);
    auto params = parameters_asked(x->request, x->target, *verb, method, match.named);
    const auto dry_run = params.find("dry_run");
    const bool changes_nothing = dry_run != params.end() && *dry_run == true;
    if (changes_nothing)
      x->is_audited = false;
    x->who = params.value("who", std::string{});
    if (method.find("who") != nullptr)
      params["who"] = who_does(x->caller, params);
    carry_out(x, *match.found, std::move(params));
  }

  void no_route(const exchange_ptr& x, const api::matched_route& match) const {
    if (match.verbs.empty())
      return fail(x, {404, "no_such_path", "there is nothing at this path: /openapi.json lists what there is"});
    std::vector<std::string> verbs;
    for (const auto v : match.verbs)
      verbs.emplace_back(to_string(v));
    const auto allowed = workflow::joined(verbs, ", ");
    auto r = response_of({405, "method_not_allowed", "this path takes " + allowed});
    r.headers.emplace_back("Allow", allowed);
    finish(x, std::move(r));
  }

  /// False: it was refused.
  bool require(const exchange_ptr& x, api::scope needed) const {
    if (api::allows(x->caller.scopes, needed))
      return true;
    fail(x, {403, "forbidden",
             workflow::quoted(x->caller.name) + " has no scope `" + std::string{to_string(needed)} + "`"});
    return false;
  }

  /// Nobody can act under the name of another: that of the token is always told.
  static std::string who_does(const http_caller& c, const json& params) {
    const auto said = params.value("who", std::string{});
    if (c.name.empty())
      return said.empty() ? "http" : said;
    return said.empty() || said == c.name ? c.name : said + " (" + c.name + ")";
  }

  // ---- tokens that are limited to some workflows, or to questions ----

  /// Goes on with what the caller may do, or refuses.
  void carry_out(const exchange_ptr& x, const api::route& r, json params) const {
    using enum api::route::about;
    const bool is_by_role = x->caller.is_by_role(r);
    if (is_by_role && r.is_about == many_tasks)
      if (const auto problem = x->caller.narrow_to_roles(params))
        return fail(x, *problem);
    if (x->caller.workflows.empty() && !(is_by_role && r.is_about == one_task))
      return carry_out_allowed(x, r, std::move(params));
    switch (r.is_about) {
      case new_task:
      case many_tasks: {
        const auto named = params.find("workflow");
        const bool is_one_of_them = named != params.end() && named->is_string() && x->caller.may_use(*named);
        if (named == params.end() && x->caller.workflows.size() == 1 && r.is_about == many_tasks)
          params["workflow"] = x->caller.workflows.front();
        else if (!is_one_of_them)
          return fail(x, x->caller.not_its_workflow());
        return carry_out_allowed(x, r, std::move(params));
      }
      case one_task: return carry_out_if_allowed(x, r, "id", std::move(params));
      case event:
        return params.contains("task") ? carry_out_if_allowed(x, r, "task", std::move(params))
                                       : fail(x, x->caller.not_its_workflow());
      case held_step: return carry_out_allowed(x, r, std::move(params));
      case other: return fail(x, x->caller.not_its_workflow());
    }
  }

  /// Throws if it is not of the caller's workflows: then, to him, it is not there.
  static void expect_own(const http_caller& c, const json& shown) {
    if (!c.may_use(shown.at("task").at("workflow")))
      throw api::error{api::error::not_found,
                       "there is no task `" + shown.at("task").at("id").get<std::string>() + "`"};
  }

  /// The task; to a caller by role one that is not there is one without a question.
  static std::variant<json, http_problem> task_for(const exchange_ptr& x, const api::route& r,
                                                   const control_answer& a) {
    try {
      auto shown = a();
      expect_own(x->caller, shown);
      return std::move(shown.at("task"));
    } catch (const api::error& e) {
      if (e.number() == api::error::not_found && x->caller.is_by_role(r))
        return http_caller::no_question();
      throw;
    }
  }

  /// Why the caller may not do that to a task.
  static std::optional<http_problem> why_not(const exchange_ptr& x, const api::route& r, const control_answer& a,
                                             const json& params) {
    const auto task = task_for(x, r, a);
    if (const auto* const problem = std::get_if<http_problem>(&task))
      return *problem;
    if (!x->caller.is_by_role(r))
      return std::nullopt;
    return x->caller.why_no_answer(std::get<json>(task), params.at("step"));
  }

  /// By the workflow of the task, whose id is that parameter, and what it asks.
  void carry_out_if_allowed(const exchange_ptr& x, const api::route& r, const char* place, json params) const {
    const auto id = params.at(place);
    on_pool(x, [id, params = std::move(params), r = &r](const implementation& self, const exchange_ptr& e) {
      self.call(api::task_show, {{"id", id}}, [self = self.shared_from_this(), e, r, params](const control_answer& a) {
        try {
          if (const auto problem = why_not(e, *r, a, params))
            return self->fail(e, *problem);
          self->carry_out_allowed(e, *r, params);
        } catch (...) {
          self->fail(e, problem_of(std::current_exception()));
        }
      });
    });
  }

  // ---- methods ----

  template <class F>
  void on_pool(const exchange_ptr& x, F run, bool takes_long = false) const {
    const auto& post = takes_long ? parts_.on_slow_pool : parts_.on_pool;
    post([self = shared_from_this(), x, run] {
      try {
        run(*self, x);
      } catch (...) {
        self->fail(x, problem_of(std::current_exception()));
      }
    });
  }

  void call(const char* method, const json& params, const control_reply& reply) const {
    parts_.methods->at(method)(params, reply);
  }

  void carry_out_allowed(const exchange_ptr& x, const api::route& r, json params) const {
    if (r.method == api::submit)
      return submit(x, std::move(params));
    if (r.method == api::event_send)
      take_key(x->request, params);
    const auto wait = waited_for(x->target);
    if (wait && r.method == api::task_state)
      return watch_.wait(params.at("id"), *wait, replies(x, [](const json& j) { return json_response(j); }));
    if (wait)
      throw api::error{
        api::error::invalid_params, "only a submission and the state of a task can be waited for", {}, "wait"};
    const bool takes_long = is_slow(r, params);
    on_pool(
      x,
      [method = r.method, params = std::move(params)](const implementation& self, const exchange_ptr& e) {
        self.call(method.c_str(), params, self.replies(e, [](const json& j) { return json_response(j); }));
      },
      takes_long);
  }

  // ---- submitting ----

  void submit(const exchange_ptr& x, json params) const {
    take_id(x->request, params);
    take_trace(x->request, params);
    const auto id = params.at("id").is_string() ? params.at("id").get<std::string>() : std::string{};
    submissions_.submit(
      x->caller, std::move(params), waited_for(x->target),
      [self = shared_from_this(), x, id](const json& told) {
        auto r = json_response(told, status_of_submission(told));
        r.headers.emplace_back("Location", location_of(id));
        self->finish(x, std::move(r));
      },
      [self = shared_from_this(), x](const http_problem& p) { self->fail(x, p); });
  }

  void submit_all(const exchange_ptr& x) const {
    if (!require(x, api::scope::submits))
      return;
    if (const auto full = submissions_.why_full())
      return fail(x, *full);
    expect_no_query(x->target);
    on_pool(x, [unread = submissions_.count_unread(x->request.message.body())](const implementation& self,
                                                                               const exchange_ptr& e) {
      const auto told = [s = self.shared_from_this(), e](const json& results) { s->finish(e, json_response(results)); };
      self.submissions_.submit_all(e->request, e->caller, told);
    });
  }

  // ---- events ----

  http_response stream_of(const exchange_ptr& x, std::shared_ptr<live_stream> events) const {
    events->look = while_allowed(x, std::move(events->look));
    http_response r{200, "text/event-stream"};
    r.headers.emplace_back("Cache-Control", "no-store");
    r.events = std::move(events);
    return r;
  }

  /// The stream ends when the caller would be refused: its token was revoked, or has expired.
  std::function<void(const live_stream::reply&)>
  while_allowed(const exchange_ptr& x, std::function<void(const live_stream::reply&)> look) const {
    const auto asked = std::make_shared<const http_request>(x->request);
    return [self = shared_from_this(), asked, look = std::move(look),
            looked_at = std::chrono::steady_clock::now()](const live_stream::reply& r) mutable {
      const auto now = std::chrono::steady_clock::now();
      if (now - looked_at < look_at_caller_every)
        return look(r);
      looked_at = now;
      const auto who = self->callers_.who_asks(*asked, self->parts_.clock());
      std::holds_alternative<http_caller>(who) ? look(r) : r({{}, true});
    };
  }

  void follow(const exchange_ptr& x, const std::string& id) const {
    if (!require(x, api::scope::read))
      return;
    expect_no_query(x->target);
    on_pool(x, [id, seen = revision_seen(x->request)](const implementation& self, const exchange_ptr& e) {
      self.call(api::task_show, {{"id", id}},
                self.replies(e, [self = self.shared_from_this(), e, id, seen](const json& shown) {
                  const auto& task = shown.at("task");
                  expect_own(e->caller, shown);
                  if (is_end(task.at("process_state")) && task.at("revision") <= seen)
                    return http_response{204, ""}; // a browser that comes back after the last event stops asking
                  return self->stream_of(e, self->watch_.follow(id, task.at("number"), seen));
                }));
    });
  }

  void follow_all(const exchange_ptr& x) const {
    if (!require(x, api::scope::read))
      return;
    auto filter = event_filter_of(x->target);
    if (filter.workflows.empty())
      filter.workflows = x->caller.workflows;
    for (const auto& w : filter.workflows)
      if (!x->caller.may_use(w))
        return fail(x, x->caller.not_its_workflow());
    on_pool(x, [filter, seen = position_seen(x->request)](const implementation& self, const exchange_ptr& e) {
      const auto parts = with_pool(self.watch_.parts, self.parts_.on_slow_pool); // it may read all tasks
      self.finish(e, self.stream_of(e, runtime::follow_all(self.log_, parts, filter, seen)));
    });
  }

  const http_api_parts parts_;
  http_callers callers_;
  const std::shared_ptr<change_hub> hub_ = std::make_shared<change_hub>();
  const task_watch watch_;
  const std::shared_ptr<event_log> log_;
  const std::shared_ptr<shared_call> readiness_;
  refused_callers refused_callers_;
  const http_submissions submissions_;
  const std::string openapi_;
};

http_api::http_api(http_api_parts p) : impl_{std::make_shared<implementation>(std::move(p))} {}

http_api::~http_api() = default;

void http_api::answer(http_request r, http_reply reply) const {
  impl_->answer(std::move(r), std::move(reply));
}

std::optional<http_response> http_api::why_no_body(const http_request& header) const {
  return impl_->why_no_body(header);
}

void http_api::keep_up() const {
  impl_->keep_up();
}

changes_listener http_api::changes() const {
  return [weak = std::weak_ptr{impl_}](const task_changes& c) {
    if (const auto api = weak.lock())
      api->take(c);
  };
}

void http_api::close() const {
  impl_->close();
}

} // namespace steadfast::runtime
