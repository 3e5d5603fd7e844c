#include "runtime/control_params.hpp"

#include "runtime/nearest.hpp"
#include "workflow/name.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace steadfast {

namespace {

using nlohmann::json;
using names = std::vector<std::string>;

/// As docs/control-channel.md lists them; what is not here takes none.
const std::map<std::string, names>& params_taken() {
  static const std::map<std::string, names> taken{
    {"submit", {"id", "workflow", "payload", "content_type", "version", "priority", "reply_to", "not_before_ms"}},
    {"task.show", {"id"}},
    {"task.state", {"id"}},
    {"task.list",
     {"states", "workflow", "locked_by", "agent", "text", "submitted_before_ms", "submitted_after_ms", "before",
      "max"}},
    {"task.count",
     {"states", "workflow", "locked_by", "agent", "text", "submitted_before_ms", "submitted_after_ms", "limit"}},
    {"task.act", {"id", "act", "step", "document", "new_key", "who", "why"}},
    {"task.plan_undo", {"id", "act"}},
    {"alerts.list",
     {"all", "kind", "incident", "workflow", "agent", "step", "task", "text", "before_ms", "after_ms", "before",
      "max"}},
    {"alerts.ack", {"alert", "who"}},
    {"incident.list", {"all", "before", "max"}},
    {"incident.show", {"incident"}},
    {"incident.act", {"incident", "act", "until_ms", "who", "why"}},
    {"workflow.show", {"name", "version"}},
    {"lease.release", {"name", "who", "why"}},
    {"actor.list", {"node", "kind"}},
    {"actor.show", {"id", "max"}},
    {"circuit.set", {"agent", "open", "who", "why"}},
    {"node.drain", {"node", "limit_ms", "who", "why"}},
    {"late.list", {"max"}},
    {"store.copy", {"to"}},
    {"store.export", {"id", "to"}},
    {"store.import", {"from", "who", "why"}},
  };
  return taken;
}

void refuse_others(const std::string& method, const names& taken, const json& params) {
  if (!params.is_object())
    return; // the method says so
  for (const auto& [name, value] : params.items()) {
    if (std::find(taken.begin(), taken.end(), name) != taken.end())
      continue;
    const auto meant = runtime::nearest(name, taken);
    throw control_error{control_error::invalid_params, "`" + method + "` takes no " + workflow::quoted(name)
                                                         + (meant ? "; did you mean `" + *meant + "`?" : "")};
  }
}

} // namespace

control_methods taking_only_their_params(control_methods methods) {
  for (auto& [name, method] : methods) {
    const auto found = params_taken().find(name);
    const auto taken = found == params_taken().end() ? names{} : found->second;
    method = [name = name, taken, run = std::move(method)](const json& params, const control_reply& reply) {
      refuse_others(name, taken, params);
      run(params, reply);
    };
  }
  return methods;
}

} // namespace steadfast
