#include "actors/common/observed.hpp"

#include "actors/protocol/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/uniform_type_info_map.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <typeinfo>

namespace steadfast::actors {

namespace {

constexpr std::int64_t window_length = 5'000'000'000; // nanoseconds

std::int64_t nanoseconds_at(caf::actor_clock::time_point t) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count();
}

std::string demangled(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name{abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                    std::free};
  return name ? name.get() : type.name();
}

std::string name_of(const caf::rtti_pair& type, const caf::actor_system& sys) {
  if (type.first == 0 && !type.second)
    return {};
  // Messages that never leave the process have no portable name.
  std::string name = type.first == 0 ? demangled(*type.second) : sys.types().portable_name(type);
  if (const auto scope = name.rfind("::"); scope != std::string::npos)
    name.erase(0, scope + 2);
  name.erase(name.find_last_not_of("> ") + 1);
  return name;
}

} // namespace

void mailbox_meter::begins(const caf::mailbox_element& m, moment_of_clock now) {
  const auto& content = m.content();
  busy_since_ = nanoseconds_at(now);
  is_worth_telling_ = !content.empty() && !content.match_elements<inspect_state>();
  if (is_worth_telling_) {
    last_number_ = content.type(0).first;
    last_info_ = content.type(0).second;
  }
}

void mailbox_meter::ends(bool is_handled, moment_of_clock at) {
  const auto now = nanoseconds_at(at);
  const auto began = busy_since_.exchange(0);
  if (!is_handled)
    return;
  const auto handled = ++handled_;
  if (is_worth_telling_)
    last_took_ = now - began;
  const auto passed = now - window_began_;
  if (passed < window_length)
    return;
  last_rate_ = static_cast<double>(handled - handled_before_) * 1e9 / static_cast<double>(passed);
  handled_before_ = handled;
  window_began_ = now;
}

std::chrono::nanoseconds mailbox_meter::busy_for(moment_of_clock now) const {
  const auto began = busy_since_.load();
  return std::chrono::nanoseconds{began == 0 ? 0 : std::max<nanoseconds>(nanoseconds_at(now) - began, 0)};
}

/// The parts may be of slightly different moments.
mailbox_view mailbox_meter::look(caf::actor_system& sys) const {
  mailbox_view v;
  const auto read_at = sys.clock().now();
  const auto now = nanoseconds_at(read_at);
  const auto came = came_.load();
  const auto busy = busy_for(read_at);
  const auto passed = now - window_began_;
  v.handled = handled_;
  v.waiting = came - std::min(came, v.handled + (busy_since_ != 0 ? 1 : 0));
  v.last_message = name_of({last_number_, last_info_}, sys);
  v.last_took_us = static_cast<std::uint64_t>(last_took_ / 1000);
  v.busy_for = std::chrono::duration_cast<workflow::span>(busy);
  v.per_second = passed < window_length ? last_rate_.load()
                                        : static_cast<double>(v.handled - std::min(v.handled, handled_before_.load()))
                                            * 1e9 / static_cast<double>(passed);
  return v;
}

} // namespace steadfast::actors
