#pragma once

// How the pieces that fields are made of are written: fixed-width integers as they are, moments and spans as
// milliseconds (moments otherwise if the archive says how), text and vectors after a 32-bit count, an optional after a
// byte, a variant after its index.
// Reading trusts no count: nothing is reserved before its bytes were seen.

#include "store/contract/state_store.hpp"
#include "store/records/frame.hpp"
#include "workflow/children/fan_out.hpp"
#include "workflow/task/task.hpp"

#include <boost/serialization/level.hpp>
#include <boost/serialization/serialization.hpp>
#include <boost/serialization/tracking.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace steadfast::store {

/// How deep a record is in parts of itself, of which it may claim any number. Throws damaged_record.
class nesting {
public:
  explicit nesting(std::size_t max) {
    if (++depth > max) {
      --depth;
      throw damaged_record{"it is nested too deeply"};
    }
  }
  ~nesting() { --depth; }
  nesting(const nesting&) = delete;
  nesting& operator=(const nesting&) = delete;

private:
  inline static thread_local std::size_t depth = 0;
};

/// The smallest and the largest number of an enum; no gap lies between.
template <class Enum>
struct enum_range;

#define STEADFAST_ENUM_RANGE(Enum, First, Last)                                                                        \
  template <>                                                                                                          \
  struct enum_range<Enum> {                                                                                            \
    static constexpr Enum first = Enum::First;                                                                         \
    static constexpr Enum last = Enum::Last;                                                                           \
  }
STEADFAST_ENUM_RANGE(workflow::process_state, pending, suspended);
STEADFAST_ENUM_RANGE(workflow::step_state, not_started, waiting);
STEADFAST_ENUM_RANGE(workflow::attempt_action, none, compensate);
STEADFAST_ENUM_RANGE(workflow::attempt_outcome, open, stopped);
STEADFAST_ENUM_RANGE(workflow::source::kind, payload, item);
STEADFAST_ENUM_RANGE(workflow::condition::test, equals, negated);
STEADFAST_ENUM_RANGE(workflow::on_exhausted, undo, error);
STEADFAST_ENUM_RANGE(workflow::on_conflict, same, replace);
STEADFAST_ENUM_RANGE(workflow::wait_rule::kind, sleep, items);
STEADFAST_ENUM_RANGE(workflow::item_state, to_start, undone);
STEADFAST_ENUM_RANGE(workflow::weekdays, all, sunday);
STEADFAST_ENUM_RANGE(workflow::notice_kind, accepted, outward);
STEADFAST_ENUM_RANGE(write_status, applied, unknown_outcome);
STEADFAST_ENUM_RANGE(incident_act, acknowledge, note);
STEADFAST_ENUM_RANGE(workflow::task_act, retry, resume);
STEADFAST_ENUM_RANGE(workflow::bulk_state, open, stopped);
STEADFAST_ENUM_RANGE(workflow::overlap, skip, cancel);
STEADFAST_ENUM_RANGE(workflow::moment_fate, made, dropped);
STEADFAST_ENUM_RANGE(schedule_act, pause, remove);
#undef STEADFAST_ENUM_RANGE

template <class Variant, std::size_t I = 0>
void emplace_at(Variant& value, std::size_t index) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (index == I)
      value.template emplace<I>();
    else
      emplace_at<Variant, I + 1>(value, index);
  } else {
    throw damaged_record{"a variant has no such alternative"};
  }
}

/// Whether such an archive tells nothing of the class but its fields.
template <class Archive, class T>
constexpr bool is_without_class =
  !std::is_class_v<
    T> || boost::serialization::implementation_level<T>::value <= boost::serialization::object_serializable;

/// One overload per kind of piece; members, so that each sees all the others.
template <class Archive>
struct pieces {
  /// Numbers, and the types of fields.hpp.
  template <class T>
  static void one(Archive& ar, T& value) {
    if constexpr (std::is_enum_v<T>) {
      static_assert(sizeof(T) == 1, "stored enums are one byte");
      auto number = static_cast<std::uint8_t>(value);
      ar& number;
      value = static_cast<T>(number);
      if (value < enum_range<T>::first || value > enum_range<T>::last)
        throw damaged_record{"a value lies outside its enumeration"};
    } else {
      static_assert(is_without_class<Archive, T>,
                    "make it a STEADFAST_PART: a thread keeps its archive, which tells of a class only once");
      ar& value;
    }
  }

  static void one(Archive& ar, bool& value) {
    std::uint8_t byte = value ? 1 : 0;
    ar& byte;
    if (byte > 1)
      throw damaged_record{"a truth value is neither 0 nor 1"};
    value = byte == 1;
  }

  static void one(Archive& ar, workflow::span& value) {
    std::int64_t milliseconds = value.count();
    ar& milliseconds;
    value = workflow::span{milliseconds};
  }

  static void one(Archive& ar, workflow::instant& value) {
    workflow::span since = value.time_since_epoch();
    if constexpr (requires { ar.moment(since); })
      ar.moment(since);
    else
      one(ar, since);
    value = workflow::instant{since};
  }

  static std::uint32_t count_of(Archive& ar, std::size_t size) {
    if (size > std::numeric_limits<std::uint32_t>::max())
      throw std::length_error{"a record has a part that is too large"};
    auto count = static_cast<std::uint32_t>(size);
    ar& count;
    return count;
  }

  static void one(Archive& ar, std::string& value) {
    const std::uint32_t size = count_of(ar, value.size());
    if constexpr (Archive::is_saving::value) {
      if (size > 0)
        ar.save_binary(value.data(), size);
    } else {
      constexpr std::size_t chunk = 64 << 10; // what a claimed size may cost before its bytes turn out to be missing
      value.clear();
      while (value.size() < size) {
        const std::size_t done = value.size();
        value.resize(std::min<std::size_t>(size, done + std::max(chunk, done)));
        ar.load_binary(value.data() + done, value.size() - done);
      }
    }
  }

  static void one(Archive& ar, workflow::blob& value) {
    if constexpr (Archive::is_saving::value) {
      const std::uint32_t size = count_of(ar, value.size());
      if (size > 0)
        ar.save_binary(value.view().data(), size);
    } else {
      std::string bytes;
      one(ar, bytes);
      value = workflow::blob{std::move(bytes)};
    }
  }

  template <class T>
  static void one(Archive& ar, std::vector<T>& value) {
    const std::uint32_t size = count_of(ar, value.size());
    if constexpr (Archive::is_saving::value) {
      for (auto& x : value)
        one(ar, x);
    } else {
      value.clear();
      value.reserve(std::min<std::size_t>(size, 16));
      for (std::uint32_t i = 0; i < size; ++i)
        one(ar, value.emplace_back());
    }
  }

  static void one(Archive& ar, workflow::attempt_log& value) {
    if constexpr (Archive::is_saving::value) {
      one(ar, const_cast<workflow::attempt_log::lines&>(value.all())); // only read: this archive saves
    } else {
      workflow::attempt_log::lines lines;
      one(ar, lines);
      value = lines.empty() ? workflow::attempt_log{} : workflow::attempt_log{std::move(lines)};
    }
  }

  template <class T>
  static void one(Archive& ar, workflow::rare_value<T>& value) {
    if constexpr (Archive::is_saving::value)
      one(ar, const_cast<T&>(*value)); // only read: this archive saves
    else
      one(ar, value.change());
  }

  static void one(Archive& ar, workflow::step_list& value) { steps(ar, value); }
  static void one(Archive& ar, workflow::few_steps& value) { steps(ar, value); }

  template <class Steps>
  static void steps(Archive& ar, Steps& value) {
    if constexpr (Archive::is_saving::value) {
      count_of(ar, value.size());
      for (const auto& s : value)
        one(ar, const_cast<workflow::step&>(s)); // only read: this archive saves
    } else {
      std::vector<workflow::step> read;
      one(ar, read);
      if constexpr (requires { Steps::size_max; })
        if (read.size() > Steps::size_max)
          throw damaged_record{"a row has more steps than one may have"};
      value = Steps{std::move(read)};
    }
  }

  template <class T, std::size_t N>
  static void one(Archive& ar, std::array<T, N>& value) {
    for (auto& x : value)
      one(ar, x);
  }

  template <class T>
  static void one(Archive& ar, std::optional<T>& value) {
    bool present = value.has_value();
    one(ar, present);
    if (!present)
      value.reset();
    else if (!value)
      value.emplace();
    if (value)
      one(ar, *value);
  }

  template <class A, class B>
  static void one(Archive& ar, std::pair<A, B>& value) {
    one(ar, value.first);
    one(ar, value.second);
  }

  template <class K, class V>
  static void one(Archive& ar, std::map<K, V>& value) {
    std::vector<std::pair<K, V>> entries{value.begin(), value.end()};
    one(ar, entries);
    if constexpr (!Archive::is_saving::value) {
      const auto not_ascending = [](const auto& a, const auto& b) { return !(a.first < b.first); };
      if (std::adjacent_find(entries.begin(), entries.end(), not_ascending) != entries.end())
        throw damaged_record{"the keys of a map are out of order"};
      value = {entries.begin(), entries.end()};
    }
  }

  template <class... Ts>
  static void one(Archive& ar, std::variant<Ts...>& value) {
    auto index = static_cast<std::uint8_t>(value.index());
    ar& index;
    if constexpr (!Archive::is_saving::value)
      emplace_at(value, index);
    std::visit([&ar](auto& x) { one(ar, x); }, value);
  }
};

/// How many bytes a piece of this type begins with whose number is known beforehand.
template <class T>
constexpr std::size_t width_of() {
  if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>)
    return sizeof(std::uint8_t);
  else if constexpr (std::is_arithmetic_v<T>)
    return sizeof(T);
  else if constexpr (std::is_same_v<T, workflow::span> || std::is_same_v<T, workflow::instant>)
    return sizeof(std::int64_t);
  else
    return 0;
}

/// Writes moments as distances from the first one.
template <class Archive>
concept has_distances = requires(Archive& ar, workflow::span since_1970) {
  ar.distance_of(since_1970);
};

/// An archive for pieces of known width: it collects them and passes them on together, since each call of the archive
/// costs more than they do.
template <class Archive, std::size_t Size>
class packed_writer {
public:
  using is_saving = boost::mpl::true_;

  explicit packed_writer(Archive& ar) : ar_{ar} {}

  template <class T>
  void add(T& value) {
    if constexpr (width_of<T>() > 0) {
      pieces<packed_writer>::one(*this, value);
    } else {
      pass_on();
      pieces<Archive>::one(ar_, value);
    }
  }

  template <class Number>
  packed_writer& operator&(const Number& n) {
    put(n);
    return *this;
  }

  /// Native, unless the archive says how.
  template <class Number>
  void put(const Number& n) {
    if constexpr (requires(char* to) { Archive::write(to, n); }) {
      size_ = static_cast<std::size_t>(Archive::write(bytes_.data() + size_, n) - bytes_.data());
    } else {
      std::memcpy(bytes_.data() + size_, &n, sizeof n);
      size_ += sizeof n;
    }
  }

  void moment(workflow::span since_1970) requires has_distances<Archive> { put(ar_.distance_of(since_1970)); }

  void pass_on() {
    if (size_ > 0)
      ar_.save_binary(bytes_.data(), std::exchange(size_, 0));
  }

private:
  Archive& ar_;
  std::array<char, Size> bytes_;
  std::size_t size_ = 0;
};

/// Writes or reads the values in this order.
template <class Archive, class... Ts>
void all(Archive& ar, Ts&... values) {
  if constexpr (Archive::is_saving::value && sizeof...(Ts) > 1) {
    packed_writer<Archive, (width_of<Ts>() + ... + 1)> g{ar};
    (g.add(values), ...);
    g.pass_on();
  } else {
    (pieces<Archive>::one(ar, values), ...);
  }
}

} // namespace steadfast::store
