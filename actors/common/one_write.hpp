#pragma once

#include "actors/protocol/protocols.hpp"
#include "actors/protocol/speak.hpp"

#include <cstdint>
#include <utility>

namespace steadfast::actors {

/// Asks the store for one write; the answer, write_done, has the same ticket.
template <class Self, class Write>
void tell_one_write(Self* self, const store_actor& store, std::uint64_t ticket, Write what) {
  write_request r;
  r.ticket = ticket;
  r.what = boxed<store::write>{store::write{std::move(what)}};
  tell(self, store, write_requests{{std::move(r)}});
}

} // namespace steadfast::actors
