#include "api/route.hpp"

#include "api/names.hpp"

#include <algorithm>
#include <array>

namespace steadfast::api {

namespace {

constexpr std::array<std::string_view, 3> verb_names{"GET", "PUT", "POST"};
constexpr std::array<std::string_view, 4> scope_names{"submit", "read", "operate", "admin"};

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    path.remove_prefix(1); // the slash
    const auto end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

/// Of the paths of these, which must live as long.
std::vector<std::vector<std::string_view>> parts_of_all(const std::vector<route>& all) {
  std::vector<std::vector<std::string_view>> parts;
  parts.reserve(all.size());
  for (const auto& r : all)
    parts.push_back(parts_of(r.path));
  return parts;
}

bool is_name(std::string_view part) {
  return part.starts_with('{');
}

std::optional<std::map<std::string, std::string>> names_in(const std::vector<std::string_view>& parts,
                                                           const std::vector<std::string>& segments) {
  if (parts.size() != segments.size())
    return std::nullopt;
  std::map<std::string, std::string> named;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (is_name(parts[i]))
      named.emplace(parts[i].substr(1, parts[i].size() - 2), segments[i]);
    else if (parts[i] != segments[i])
      return std::nullopt;
  return named;
}

route slow(route r) {
  r.is_slow = true;
  return r;
}

std::vector<route> all_routes() {
  using enum verb;
  using enum route::about;
  constexpr auto read = scope::read;
  constexpr auto operate = scope::operate;
  constexpr auto admin = scope::admin;
  return {
    {put, "/v1/tasks/{id}", submit, scope::submits, new_task},
    {post, "/v1/tasks", submit, scope::submits, new_task},
    {get, "/v1/tasks", task_list, read, many_tasks},
    {get, "/v1/tasks/{id}", task_show, read, one_task},
    {get, "/v1/tasks/{id}/state", task_state, read, one_task},
    {get, "/v1/tasks/{id}/undo-plan", task_plan_undo, read, one_task},
    {post, "/v1/tasks/{id}/actions", task_act, operate, one_task},
    {post, "/v1/steps/complete", step_complete, scope::submits, held_step},
    {post, "/v1/steps/fail", step_fail, scope::submits, held_step},
    {post, "/v1/steps/extend", step_extend, scope::submits, held_step},
    {post, "/v1/events", event_send, scope::submits, event},
    {get, "/v1/kept-events", event_list, read, other},
    slow({get, "/v1/approvals", approval_list, read, many_tasks, true}),
    {post, "/v1/tasks/{id}/approvals/{step}", approval_answer, operate, one_task, true},
    slow({get, "/v1/counts", task_count, read, many_tasks}),
    slow({get, "/v1/in-place", task_in_place, read, many_tasks}),
    slow({get, "/v1/stuck", task_stuck, read, other}),
    slow({post, "/v1/bulk-acts", bulk_start, operate, many_tasks}),
    {get, "/v1/bulk-acts", bulk_list, read, other},
    {get, "/v1/bulk-acts/{bulk}", bulk_show, read, other},
    {post, "/v1/bulk-acts/{bulk}/stop", bulk_stop, operate, other},
    {get, "/v1/alerts", alerts_list, read, other},
    {post, "/v1/alerts/{alert}/ack", alerts_ack, operate, other},
    {get, "/v1/incidents", incident_list, read, other},
    {get, "/v1/incidents/{incident}", incident_show, read, other},
    {post, "/v1/incidents/{incident}/actions", incident_act, operate, other},
    {get, "/v1/workflows", workflow_list, read, other},
    {get, "/v1/workflows/{name}", workflow_show, read, other},
    {post, "/v1/workflows", workflow_register, admin, other},
    {get, "/v1/schedules", schedule_list, read, other},
    {get, "/v1/schedules/{name}", schedule_show, read, other},
    {post, "/v1/schedules", schedule_put, admin, other},
    {post, "/v1/schedules/{name}/actions", schedule_act, operate, other},
    {get, "/v1/leases", lease_list, read, other},
    {post, "/v1/leases/{name}/release", lease_release, admin, other},
    slow({get, "/v1/actors", actor_list, read, other}),
    slow({get, "/v1/actors/{id}", actor_show, read, other}),
    slow({get, "/v1/agents", agent_list, read, other}),
    slow({post, "/v1/agents/{agent}/circuit", circuit_set, operate, other}),
    slow({get, "/v1/webhooks", webhook_list, read, other}),
    slow({post, "/v1/webhooks/{webhook}/test", webhook_test, operate, other}),
    {get, "/v1/late-replies", late_list, read, other},
    slow({get, "/v1/node", node_describe, read, other}),
    slow({get, "/v1/nodes", node_list, read, other}),
    slow({post, "/v1/nodes/{node}/drain", node_drain, admin, other}),
    slow({get, "/v1/health", health_show, read, other}),
    {get, "/v1/store", store_stats, read, other},
    slow({post, "/v1/store/check", store_check, admin, other}),
    slow({post, "/v1/store/copy", store_copy, admin, other}),
    slow({post, "/v1/store/export", store_export, admin, other}),
    slow({post, "/v1/store/import", store_import, admin, other}),
  };
}

} // namespace

std::string_view to_string(verb v) {
  return verb_names.at(static_cast<std::size_t>(v));
}

std::string_view to_string(scope s) {
  return scope_names.at(static_cast<std::size_t>(s));
}

std::optional<scope> parse_scope(std::string_view text) {
  const auto found = std::find(scope_names.begin(), scope_names.end(), text);
  if (found == scope_names.end())
    return std::nullopt;
  return static_cast<scope>(found - scope_names.begin());
}

bool allows(const std::vector<scope>& granted, scope needed) {
  const auto has = [&](scope s) { return std::find(granted.begin(), granted.end(), s) != granted.end(); };
  if (has(scope::admin) || has(needed))
    return true;
  return needed == scope::read && has(scope::operate);
}

const std::vector<route>& routes() {
  static const auto all = all_routes();
  return all;
}

matched_route match(verb v, const std::vector<std::string>& segments) {
  static const auto all_parts = parts_of_all(routes());
  matched_route result;
  for (std::size_t i = 0; i < all_parts.size(); ++i)
    if (auto named = names_in(all_parts[i], segments)) {
      const auto& r = routes()[i];
      result.verbs.push_back(r.verb);
      if (r.verb != v)
        continue;
      result.found = &r;
      result.named = std::move(*named);
    }
  return result;
}

} // namespace steadfast::api
