#pragma once

// The CAF functions that later versions of CAF renamed, in one place. No other file of the project names send, request,
// delayed_send, replies_to, reacts_to or meta::type_name.

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_message.hpp>
#include <caf/message_id.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/replies_to.hpp>
#include <caf/send.hpp>
#include <caf/system_messages.hpp>

#include <type_traits>
#include <utility>

namespace steadfast::actors {

template <class S>
struct signature_of;
template <class... In>
struct signature_of<void(In...)> {
  using type = caf::reacts_to<In...>;
};
template <class Out, class... In>
struct signature_of<Out(In...)> {
  using type = typename caf::replies_to<In...>::template with<Out>;
};
/// One line of an actor's interface: `takes<reply(message)>`, with void for a message that has no reply.
template <class S>
using takes = typename signature_of<S>::type;

template <class Self, class Handle, class... Ts>
void tell(Self* self, const Handle& to, Ts&&... xs) {
  if (to)
    self->send(to, std::forward<Ts>(xs)...);
}

/// For threads that are not actors.
template <class Handle, class... Ts>
void tell_from_outside(const Handle& to, Ts&&... xs) {
  caf::anon_send(to, std::forward<Ts>(xs)...);
}

template <class Self, class Handle, class Delay, class... Ts>
void tell_after(Self* self, const Handle& to, Delay delay, Ts&&... xs) {
  self->delayed_send(to, delay, std::forward<Ts>(xs)...);
}

/// A request always has a limit. The error handler is not optional: without it, a late answer would end the asker.
template <class Self, class Handle, class Limit, class... Ts>
auto ask(Self* self, const Handle& to, Limit limit, Ts&&... xs) {
  static_assert(!std::is_same_v<Limit, caf::infinite_t>, "every request needs a finite limit");
  return self->request(to, limit, std::forward<Ts>(xs)...);
}

/// Put ahead of the mailbox; from any thread, without a sender.
template <class Handle, class Message>
void tell_first(const Handle& to, Message m) {
  if (to)
    to->enqueue(nullptr, caf::make_message_id(caf::message_priority::high), caf::make_message(std::move(m)), nullptr);
}

/// Sent as if by `from`; from any thread.
template <class From, class Handle, class Message>
void tell_as(const From& from, const Handle& to, Message m) {
  if (to)
    to->enqueue(caf::actor_cast<caf::strong_actor_ptr>(from), caf::make_message_id(), caf::make_message(std::move(m)),
                nullptr);
}

/// A plain exit message would wait behind everything in the mailbox.
template <class Handle>
void exit_now(const Handle& h, caf::exit_reason why = caf::exit_reason::user_shutdown) {
  tell_first(h, caf::exit_msg{caf::actor_cast<caf::actor_addr>(h), why});
}

/// The sender of the message being handled, with the interface that the protocol gives it.
template <class Handle, class Self>
Handle sender_of(Self* self) {
  return caf::actor_cast<Handle>(self->current_sender());
}

} // namespace steadfast::actors

/// Declares how CAF writes and reads a message struct. The name of the type is sent between nodes and contains the
/// protocol version.
#define STEADFAST_MESSAGE(Type, ...)                                                                                   \
  template <class Inspector>                                                                                           \
  typename Inspector::result_type inspect(Inspector& f, [[maybe_unused]] Type& x) {                                    \
    return std::apply([&](auto&... fields) { return f(caf::meta::type_name("steadfast4::" #Type), fields...); },       \
                      std::tie(__VA_ARGS__));                                                                          \
  }
