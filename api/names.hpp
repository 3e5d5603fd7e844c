#pragma once

// The names of the methods of a node. They are sent, and never change.

namespace steadfast::api {

inline constexpr const char* submit = "submit";
inline constexpr const char* task_show = "task.show";
inline constexpr const char* task_state = "task.state";
inline constexpr const char* task_list = "task.list";
inline constexpr const char* task_count = "task.count";
inline constexpr const char* task_in_place = "task.in_place";
inline constexpr const char* task_act = "task.act";
inline constexpr const char* task_plan_undo = "task.plan_undo";
inline constexpr const char* step_complete = "step.complete";
inline constexpr const char* step_fail = "step.fail";
inline constexpr const char* step_extend = "step.extend";
inline constexpr const char* event_send = "event.send";
inline constexpr const char* event_list = "event.list";
inline constexpr const char* approval_list = "approval.list";
inline constexpr const char* approval_answer = "approval.answer";
inline constexpr const char* task_stuck = "task.stuck";
inline constexpr const char* bulk_start = "bulk.start";
inline constexpr const char* bulk_list = "bulk.list";
inline constexpr const char* bulk_show = "bulk.show";
inline constexpr const char* bulk_stop = "bulk.stop";
inline constexpr const char* alerts_list = "alerts.list";
inline constexpr const char* alerts_ack = "alerts.ack";
inline constexpr const char* incident_list = "incident.list";
inline constexpr const char* incident_show = "incident.show";
inline constexpr const char* incident_act = "incident.act";
inline constexpr const char* workflow_list = "workflow.list";
inline constexpr const char* workflow_show = "workflow.show";
inline constexpr const char* workflow_register = "workflow.register";
inline constexpr const char* schedule_list = "schedule.list";
inline constexpr const char* schedule_show = "schedule.show";
inline constexpr const char* schedule_put = "schedule.put";
inline constexpr const char* schedule_act = "schedule.act";
inline constexpr const char* lease_list = "lease.list";
inline constexpr const char* lease_release = "lease.release";
inline constexpr const char* actor_list = "actor.list";
inline constexpr const char* actor_show = "actor.show";
inline constexpr const char* agent_list = "agent.list";
inline constexpr const char* circuit_set = "circuit.set";
inline constexpr const char* webhook_list = "webhook.list";
inline constexpr const char* webhook_test = "webhook.test";
inline constexpr const char* node_drain = "node.drain";
inline constexpr const char* late_list = "late.list";
inline constexpr const char* node_describe = "node.describe";
inline constexpr const char* node_list = "node.list";
inline constexpr const char* health_show = "health.show";
inline constexpr const char* store_stats = "store.stats";
inline constexpr const char* store_check = "store.check";
inline constexpr const char* store_copy = "store.copy";
inline constexpr const char* store_export = "store.export";
inline constexpr const char* store_import = "store.import";

} // namespace steadfast::api
