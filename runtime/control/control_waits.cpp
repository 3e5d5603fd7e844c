// What comes from outside while a task waits.

#include "runtime/control/control_context.hpp"
#include "runtime/text/step_token.hpp"

#include <utility>

namespace steadfast {

namespace {

using actors::act_refusal;
using nlohmann::json;

actors::use_token use_of(const api::arguments& params, actors::use_token::word says) {
  const auto token = runtime::read_step_token(params.text("token"));
  if (!token)
    throw api::error{api::error::invalid_params, "`token` is not the token of a step", {}, "token"};
  actors::use_token m;
  m.task_number = token->task_number;
  m.step = token->step;
  m.attempt = token->attempt;
  m.digest = token->digest;
  m.says = says;
  return m;
}

json state_after(const actors::act_result& r) {
  constexpr std::chrono::milliseconds soon{200};
  if (r.done)
    return {{"process_state", std::string{workflow::to_string(r.state)}}};
  switch (r.refusal) {
    case act_refusal::gone: throw api::error{api::error::not_found, r.why};
    case act_refusal::not_now: throw api::error{api::error::busy, r.why, soon};
    default: throw api::error{api::error::refused, r.why};
  }
}

json carry_out(const control_context& c, actors::use_token m) {
  return state_after(c.ask<actors::act_result>(c.parts.gateway, m));
}

} // namespace

json complete_step(const control_context& c, const api::arguments& params) {
  auto m = use_of(params, actors::use_token::word::completes);
  m.result = document_of(params, "result");
  if (m.result.empty())
    m.result = "null";
  return carry_out(c, std::move(m));
}

json fail_step(const control_context& c, const api::arguments& params) {
  auto m = use_of(params, actors::use_token::word::fails);
  m.permanent = !params.flag("for_now");
  m.maybe_done = params.flag("maybe_done");
  m.time = workflow::span{params.number<std::int64_t>("retry_after_ms")};
  m.text = params.text("why");
  return carry_out(c, std::move(m));
}

json extend_step(const control_context& c, const api::arguments& params) {
  auto m = use_of(params, actors::use_token::word::goes_on);
  m.time = workflow::span{params.number<std::int64_t>("length_ms")};
  m.text = params.text("progress");
  return carry_out(c, std::move(m));
}

} // namespace steadfast
