#pragma once

#include <unistd.h>

#include <utility>

namespace steadfast::actors {

/// A file descriptor that closes by itself.
class descriptor {
public:
  descriptor() = default;
  explicit descriptor(int number) : number_{number} {}
  ~descriptor() { close(); }
  descriptor(descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool is_open() const { return number_ >= 0; }
  int get() const { return number_; }
  void close() {
    if (is_open())
      ::close(number_);
    number_ = -1;
  }

private:
  int number_ = -1;
};

} // namespace steadfast::actors
