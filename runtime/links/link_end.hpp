#pragma once

#include "workflow/supervision/peer_claim.hpp"

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

namespace steadfast::runtime {

/// Closed when its last owner is gone.
class owned_socket {
public:
  owned_socket() = default;
  explicit owned_socket(int number) : number_{number} {}
  owned_socket(owned_socket&& other) noexcept : number_{other.release()} {}
  owned_socket& operator=(owned_socket&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~owned_socket() {
    if (number_ >= 0)
      close(number_);
  }

  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

private:
  int number_ = -1;
};

/// An open connection whose other side is known: what CAF gets.
struct link_end {
  owned_socket socket;
  workflow::peer_claim peer;
  std::string address;           ///< of the other side, without port
  std::shared_ptr<void> place{}; ///< among those that may be open at a time; kept as long as it is open
};

} // namespace steadfast::runtime
