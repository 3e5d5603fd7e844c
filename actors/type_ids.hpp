#pragma once

#include "actors/protocols.hpp"

#include <caf/type_id.hpp>

#define STEADFAST_ADD(Type) CAF_ADD_TYPE_ID(steadfast, (steadfast::actors::Type))

CAF_BEGIN_TYPE_ID_BLOCK(steadfast, caf::first_custom_type_id)
STEADFAST_ADD(step_order)
STEADFAST_ADD(stop_order)
STEADFAST_ADD(attempt_report)
STEADFAST_ADD(agent_view)
STEADFAST_ADD(write_request)
STEADFAST_ADD(write_done)
STEADFAST_ADD(subscribe)
STEADFAST_ADD(store_news)
STEADFAST_ADD(store_view)
STEADFAST_ADD(find_task)
STEADFAST_ADD(find_overdue)
STEADFAST_ADD(overdue_page)
STEADFAST_ADD(find_notices)
STEADFAST_ADD(notice_page)
STEADFAST_ADD(receipt)
STEADFAST_ADD(show_task)
STEADFAST_ADD(task_view)
STEADFAST_ADD(list_tasks)
STEADFAST_ADD(act_on_task)
STEADFAST_ADD(act_result)
STEADFAST_ADD(observe)
STEADFAST_ADD(progress)
STEADFAST_ADD(progress_seen)
STEADFAST_ADD(describe)
STEADFAST_ADD(drain)
STEADFAST_ADD(drained)
STEADFAST_ADD(scheduler_view)
STEADFAST_ADD(supervisor_view)
STEADFAST_ADD(lease_changed)
STEADFAST_ADD(lease_progress)
STEADFAST_ADD(tick_timer)
STEADFAST_ADD(flush)
STEADFAST_ADD(boxed<steadfast::workflow::submission>)
STEADFAST_ADD(boxed<steadfast::store::task_page>)
CAF_END_TYPE_ID_BLOCK(steadfast)

#undef STEADFAST_ADD
