#pragma once

namespace steadfast::workflow {

/// One visitor made of several lambdas, for std::visit.
template <class... Arms>
struct overload : Arms... {
  using Arms::operator()...;
};
template <class... Arms>
overload(Arms...) -> overload<Arms...>;

} // namespace steadfast::workflow
