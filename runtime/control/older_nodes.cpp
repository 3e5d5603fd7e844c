#include "runtime/control/older_nodes.hpp"

#include "workflow/supervision/node_card.hpp"
#include "workflow/text/name.hpp"

namespace steadfast {

std::string why_not_yet(const actors::lease_page& page, workflow::knowledge needed, std::string_view what) {
  for (const auto& x : page.leases) {
    const auto card = workflow::card_of(x->name, x->note);
    if (card && x->expires_at > page.now && card->knows < needed)
      return "node " + workflow::quoted(card->name) + " is of a release that does not know " + std::string{what}
             + ": bring all nodes up to date first";
  }
  return {};
}

} // namespace steadfast
