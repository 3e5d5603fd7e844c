#pragma once

// Formats 2 and 3 of a body: Boost archives that make the pieces of pieces.hpp small. A whole number takes as many
// bytes as it needs, seven bits in each (LEB128, signed ones in zigzag). Of the fields of a type, if it has more than
// one, only those are written that say something; a number before them tells which, the first field in its lowest bit.
// There is one way to write a value, and any other is refused.
//
// The moments of a record lie close together. In format 3 each is written as its distance from the first one, modulo
// 2^64 so that any two have one. Not from the one before it: a change of one moment must leave the bytes of the others
// as they were.

#include "store/records/pieces.hpp"

#include <boost/mpl/bool.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace steadfast::store {

constexpr std::size_t number_size_max = 10;

class compact_writer;
class compact_reader;
template <class T>
constexpr bool is_without_class<compact_writer, T> = true;
template <class T>
constexpr bool is_without_class<compact_reader, T> = true;

/// Writes format 3.
class compact_writer {
public:
  using is_saving = boost::mpl::true_;

  explicit compact_writer(std::string& to) : to_{to} {}

  template <class T>
  compact_writer& operator&(T& value) {
    if constexpr (std::is_integral_v<T>)
      put(value);
    else
      serialize(*this, value, 0U);
    return *this;
  }

  std::int64_t distance_of(workflow::span since_1970) {
    const auto number = static_cast<std::uint64_t>(since_1970.count());
    const auto distance = static_cast<std::int64_t>(number - first_moment_);
    if (first_moment_ == 0)
      first_moment_ = number;
    return distance;
  }

  void moment(workflow::span since_1970) { put(distance_of(since_1970)); }

  void save_binary(const void* from, std::size_t size) { to_.append(static_cast<const char*>(from), size); }

  std::uint32_t position() const { return static_cast<std::uint32_t>(to_.size()); } ///< of what comes next

  template <class Number>
  void put(Number number) {
    std::array<char, number_size_max> bytes;
    save_binary(bytes.data(), static_cast<std::size_t>(write(bytes.data(), number) - bytes.data()));
  }

  /// Where it ends. REQUIRES: there is room for number_size_max bytes.
  template <class Number>
  static char* write(char* to, Number number) {
    auto bits = static_cast<std::uint64_t>(number);
    if constexpr (std::is_signed_v<Number>)
      bits = (bits << 1) ^ static_cast<std::uint64_t>(std::int64_t{number} >> 63);
    for (; bits >= 0x80; bits >>= 7)
      *to++ = static_cast<char>(bits | 0x80);
    *to++ = static_cast<char>(bits);
    return to;
  }

private:
  std::string& to_;
  std::uint64_t first_moment_ = 0; ///< 0: there was none yet
};

class compact_reader {
public:
  using is_saving = boost::mpl::false_;

  explicit compact_reader(std::string_view from, std::uint16_t format = relative_body)
      : left_{from},
        has_distances_{format == relative_body} {}

  template <class T>
  compact_reader& operator&(T& value) {
    if constexpr (std::is_signed_v<T>) {
      static_assert(sizeof(T) == sizeof(std::int64_t));
      const auto number = take();
      value = static_cast<T>((number >> 1) ^ (std::uint64_t{0} - (number & 1)));
    } else if constexpr (std::is_integral_v<T>) {
      const auto number = take();
      value = static_cast<T>(number);
      if (value != number)
        throw damaged_record{"a number is too large"};
    } else {
      serialize(*this, value, 0U);
    }
    return *this;
  }

  void moment(workflow::span& since_1970) {
    std::int64_t distance = 0;
    *this& distance;
    const auto number = first_moment_ + static_cast<std::uint64_t>(distance);
    if (first_moment_ == 0 && has_distances_)
      first_moment_ = number;
    since_1970 = workflow::span{static_cast<std::int64_t>(number)};
  }

  void load_binary(void* to, std::size_t size) { std::memcpy(to, take_view(size).data(), size); }

  std::string_view take_view(std::uint64_t size) {
    if (size > left_.size())
      throw damaged_record{"it ends too early"};
    const auto taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  std::uint64_t take() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      std::uint8_t byte = 0;
      load_binary(&byte, 1);
      const std::uint64_t bits = byte & 0x7FU;
      number |= bits << shift;
      if ((number >> shift) != bits || (byte == 0 && shift > 0))
        break;
      if (byte < 0x80)
        return number;
    }
    throw damaged_record{"a number is not written as it should be"};
  }

  std::size_t left() const { return left_.size(); }

private:
  std::string_view left_;
  bool has_distances_;
  std::uint64_t first_moment_ = 0; ///< 0: there was none yet
};

/// Whether an archive writes or reads these formats. They have the fields that came after format 1.
template <class Archive>
constexpr bool is_compact_archive = std::is_same_v<Archive, compact_writer> || std::is_same_v<Archive, compact_reader>;

template <class T>
bool says_nothing(const T& value) {
  if constexpr (width_of<T>() > 0)
    return value == T{};
  else if constexpr (requires { value.empty(); })
    return value.empty();
  else if constexpr (requires { value.has_value(); })
    return !value.has_value();
  else
    return false;
}

template <class T>
void make_say_nothing(T& value) {
  value = T{};
  if (!says_nothing(value))
    throw damaged_record{"a field is missing"};
  if constexpr (std::is_enum_v<T>)
    if (value < enum_range<T>::first)
      throw damaged_record{"a field is missing"};
}

template <class... Ts>
void all(compact_writer& ar, Ts&... values) {
  if constexpr (sizeof...(Ts) > 1) {
    static_assert(sizeof...(Ts) <= 64);
    std::uint64_t said = 0;
    std::uint64_t bit = 1;
    ((said |= says_nothing(values) ? 0 : bit, bit <<= 1), ...);
    packed_writer<compact_writer, (1 + sizeof...(Ts)) * number_size_max> g{ar};
    g.put(said);
    ((says_nothing(values) ? void() : g.add(values)), ...);
    g.pass_on();
  } else {
    (pieces<compact_writer>::one(ar, values), ...);
  }
}

template <class T>
void read_field(compact_reader& ar, T& value, std::uint64_t& said) {
  if ((said & 1) == 0) {
    make_say_nothing(value);
  } else {
    pieces<compact_reader>::one(ar, value);
    if (says_nothing(value))
      throw damaged_record{"a field says nothing"};
  }
  said >>= 1;
}

template <class... Ts>
void all(compact_reader& ar, Ts&... values) {
  if constexpr (sizeof...(Ts) > 1) {
    auto said = ar.take();
    (read_field(ar, values, said), ...);
    if (said != 0)
      throw damaged_record{"it has more fields than there are"};
  } else {
    (pieces<compact_reader>::one(ar, values), ...);
  }
}

} // namespace steadfast::store
