#include "runtime/http/http_submissions.hpp"

#include "api/error.hpp"
#include "api/names.hpp"
#include "runtime/http/messages/http_parameters.hpp"
#include "workflow/outward/trace.hpp"
#include "workflow/text/name.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace steadfast::runtime {

namespace {

using nlohmann::json;

constexpr std::size_t batch_max = 1000;         ///< submissions
constexpr std::size_t submission_size_min = 64; ///< bytes, of most
constexpr std::size_t under_way_max = 4096;     ///< likewise

/// The answers in the order of the submissions, each with its status.
struct batch {
  std::mutex mutex;
  std::vector<json> results;
  std::size_t left = 0;
};

log_entry entry_of(const http_caller& submitter, const std::string& task) {
  const auto& name = submitter.name;
  log_entry e{"info", "http: " + (name.empty() ? "somebody" : name) + " submitted task " + workflow::quoted(task),
              "http submission"};
  if (!name.empty())
    e.fields.emplace_back("caller", name);
  e.fields.emplace_back("task", task);
  return e;
}

json submissions_in(const std::string& body) {
  auto given = json_of_body(body);
  if (!given.is_object() || given.size() != 1 || !given.contains("tasks") || !given["tasks"].is_array()
      || given["tasks"].empty() || given["tasks"].size() > batch_max)
    throw api::error{api::error::invalid_params,
                     "the body must be {\"tasks\": [...]} with 1 to " + std::to_string(batch_max) + " submissions",
                     {},
                     "tasks"};
  return std::move(given["tasks"]);
}

} // namespace

void take_key(const http_request& r, json& params) {
  constexpr const char* name = "Idempotency-Key";
  if (r.message.count(name) == 0)
    return;
  const std::string key{r.header(name)};
  if (key.empty())
    throw api::error{api::error::invalid_params, "Idempotency-Key is empty", {}, name};
  if (params.contains("id") && params["id"] != key)
    throw api::error{api::error::invalid_params, "`id` is not what Idempotency-Key says", {}, "id"};
  params["id"] = key;
}

void take_id(const http_request& r, json& params) {
  take_key(r, params);
  if (!params.contains("id"))
    throw api::error{api::error::invalid_params,
                     "give the task an id, in the body or as Idempotency-Key: by it a repetition is recognised",
                     {},
                     "id"};
}

void take_trace(const http_request& r, json& params) {
  const std::string parent{r.header("traceparent")};
  if (!params.contains("traceparent") && workflow::parse_traceparent(parent))
    params["traceparent"] = parent;
}

unsigned status_of_submission(const json& result) {
  return result.at("created").get<bool>() ? 201U : 200U;
}

std::string location_of(const std::string& id) {
  std::string path = "/v1/tasks/";
  for (const char c : id)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.' || c == '~')
      path += c;
    else
      path += "%" + std::string{"0123456789ABCDEF"[static_cast<unsigned char>(c) >> 4U]}
              + "0123456789ABCDEF"[static_cast<unsigned char>(c) & 15U];
  return path;
}

std::optional<http_problem> http_submissions::why_full() const {
  if (*under_way_ < under_way_max)
    return std::nullopt;
  return http_problem{503, "busy", "too many submissions are under way", {}, busy_wait};
}

void http_submissions::submit(const http_caller& caller, json params, std::optional<std::chrono::milliseconds> wait,
                              const on_result& done, const on_problem& fails) const {
  if (!wait)
    return submit_one(caller, params, done, fails);
  const auto id = params.at("id").is_string() ? params.at("id").get<std::string>() : std::string{};
  const auto made = [watch = watch_, id, wait, done, fails](const json& result) {
    watch.wait(id, *wait, [result, done, fails](const control_answer& a) {
      auto whole = result;
      try {
        whole.update(a());
      } catch (...) {
        return fails(problem_of(std::current_exception()));
      }
      done(std::move(whole));
    });
  };
  submit_one(caller, params, made, fails);
}

void http_submissions::submit_one(const http_caller& caller, const json& params, const on_result& done,
                                  const on_problem& fails) const {
  const auto told = [self = *this, caller, id = params.is_object() ? params.value("id", json{}) : json{}, done,
                     fails](const control_answer& a) {
    json result;
    --*self.under_way_;
    try {
      result = a();
    } catch (const api::error& e) {
      if (e.number() == api::error::refused)
        return self.tell_refusal(caller, id, e.what(), fails);
      if (e.number() == api::error::not_found)
        return fails({422, "no_such_workflow", e.what(), "workflow"});
      return fails(problem_of(std::current_exception()));
    } catch (...) {
      return fails(problem_of(std::current_exception()));
    }
    if (self.log_ && result.at("created") == true)
      self.log_(entry_of(caller, id));
    done(std::move(result));
  };
  ++*under_way_;
  try {
    watch_.parts.methods->at(api::submit)(params, told);
  } catch (...) { // its parameters are wrong
    --*under_way_;
    fails(problem_of(std::current_exception()));
  }
}

/// 409 if there is a task of that id already: it is another one, of which those learn nothing else who may not see it.
/// Else the submission itself is wrong.
void http_submissions::tell_refusal(const http_caller& caller, const json& id, std::string why,
                                    const on_problem& fails) const {
  watch_.parts.on_pool([methods = watch_.parts.methods, caller, id, why = std::move(why), fails] {
    methods->at(api::task_show)({{"id", id}}, [caller, id, why, fails](const control_answer& a) mutable {
      bool is_there = true;
      try {
        if (!caller.may_use(a().at("task").at("workflow")))
          why = "there is another task of the id " + workflow::quoted(id.get<std::string>());
      } catch (const api::error& e) {
        is_there = e.number() == api::error::refused; // it was set aside
      } catch (const std::exception&) {
        is_there = false;
      }
      fails(is_there ? http_problem{409, "other_task", why, "id"} : http_problem{422, "refused", why});
    });
  });
}

std::shared_ptr<void> http_submissions::count_unread(const std::string& body) const {
  const auto about = std::min(body.size() / submission_size_min + 1, batch_max);
  *under_way_ += about;
  return {nullptr, [about, counted = under_way_](void*) { *counted -= about; }};
}

void http_submissions::submit_all(const http_request& r, const http_caller& caller, const on_result& done) const {
  auto tasks = submissions_in(r.message.body());
  const auto b = std::make_shared<batch>();
  b->left = tasks.size();
  b->results.resize(b->left);
  const auto give = [done, b](std::size_t i, json result) {
    std::unique_lock lock{b->mutex};
    b->results[i] = std::move(result);
    if (--b->left > 0)
      return;
    lock.unlock();
    done({{"results", std::move(b->results)}});
  };
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    auto& params = tasks[i];
    const auto made = [give, i](json result) {
      result["status"] = status_of_submission(result);
      give(i, std::move(result));
    };
    const auto fails = [give, i](const http_problem& p) { give(i, {{"status", p.status}, {"problem", json_of(p)}}); };
    if (!params.is_object()) {
      fails({400, "invalid_parameter", "a submission must be an object", "tasks"});
      continue;
    }
    take_trace(r, params);
    const auto workflow = params.value("workflow", json{});
    if (caller.may_use(workflow.is_string() ? workflow.get<std::string>() : std::string{}))
      submit_one(caller, params, made, fails);
    else
      fails(caller.not_its_workflow());
  }
}

} // namespace steadfast::runtime
