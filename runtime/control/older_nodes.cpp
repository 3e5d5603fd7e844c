#include "runtime/control/older_nodes.hpp"

#include "store/verbs/decide_lease.hpp"
#include "workflow/supervision/node_card.hpp"
#include "workflow/text/name.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace steadfast {

void unless_older(caf::event_based_actor* self, const actors::reader_actor& reader, workflow::knowledge needed,
                  std::string_view what, const control_reply& reply, std::function<void()> then) {
  actors::ask(self, reader, control_context::reply_limit, actors::list_leases{})
    .then(
      [needed, what = std::string{what}, reply, then = std::move(then)](const actors::lease_page& page) {
        if (const auto why = why_not_yet(page, needed, what); !why.empty())
          reply([&]() -> nlohmann::json { throw api::error{api::error::refused, why}; });
        else
          then();
      },
      [reply](const caf::error& e) { reply([&]() -> nlohmann::json { throw control_context::error_of(e); }); });
}

void expect_known(const control_context& c, workflow::knowledge needed, std::string_view what) {
  const auto page = c.ask<actors::lease_page>(c.parts.reader, actors::list_leases{});
  if (const auto why = why_not_yet(page, needed, what); !why.empty())
    throw api::error{api::error::refused, why};
}

std::string why_not_yet(const actors::lease_page& page, workflow::knowledge needed, std::string_view what) {
  for (const auto& x : page.leases)
    if (const auto older = store::living_older_node(*x, needed, page.now))
      return workflow::upgrade_first(*older, what);
  return {};
}

} // namespace steadfast
