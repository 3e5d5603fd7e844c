#pragma once

#include "workflow/time/time.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace steadfast::store {

/// A key under construction. Integers are written big-endian, so that byte order is number order and the order in which
/// a table is scanned; text of varying length goes last, or is preceded by its length.
class key {
public:
  static constexpr std::size_t size_max = 511; ///< LMDB's own limit

  template <class... Parts>
  explicit key(Parts... parts) {
    (add(parts), ...);
  }

  std::string_view view() const { return {bytes_.data(), size_}; }
  operator std::string_view() const { return view(); }

private:
  template <std::unsigned_integral T>
  void add(T value) {
    std::array<char, sizeof(T)> big{};
    for (std::size_t i = 0; i < sizeof(T); ++i)
      big[i] = static_cast<char>(static_cast<unsigned char>(value >> (8 * (sizeof(T) - 1 - i))));
    add(std::string_view{big.data(), big.size()});
  }

  /// The sign bit is turned, so that moments before 1970 sort before those after.
  void add(workflow::instant at) { add(static_cast<std::uint64_t>(at.time_since_epoch().count()) ^ (1ULL << 63)); }

  void add(std::string_view text) {
    if (text.size() > size_max - size_)
      throw std::length_error{"a key of the store is longer than 511 bytes"};
    std::memcpy(bytes_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }

  std::array<char, size_max> bytes_;
  std::size_t size_ = 0;
};

/// Takes a key apart, front to back. Every part is absent once the bytes do not suffice.
class key_reader {
public:
  explicit key_reader(std::string_view bytes) : rest_{bytes} {}

  template <std::unsigned_integral T>
  std::optional<T> number() {
    if (rest_.size() < sizeof(T))
      return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = (value << 8) | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(sizeof(T));
    return static_cast<T>(value);
  }

  std::optional<workflow::instant> instant() {
    const auto turned = number<std::uint64_t>();
    if (!turned)
      return std::nullopt;
    return workflow::instant{workflow::span{static_cast<std::int64_t>(*turned ^ (1ULL << 63))}};
  }

  std::string_view rest() const { return rest_; }

private:
  std::string_view rest_;
};

} // namespace steadfast::store
