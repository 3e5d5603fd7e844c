#pragma once

#include "store/contract/local_store.hpp"
#include "store/records/frame.hpp"
#include "store/records/stored.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace steadfast::store {

/// Bytes to send or to keep; they check themselves. Offered for the types that record.cpp lists at its end, and for
/// vectors of the same.
template <class T>
std::string encode(const T& value);

/// Throws damaged_record for anything that encode<T> did not make. Takes no more memory than a small multiple of the
/// bytes it was given, whatever lengths they claim.
template <class T>
T decode(std::string_view bytes);

/// A stored record, bound to its key. The view lasts until the thread's next call.
template <class T>
std::string_view encode_record(std::string_view key, const T& value);

/// Throws damaged_record when the bytes are not a whole T that was stored under this key.
template <class T>
T decode_record(std::string_view key, std::string_view bytes);

/// The record, or nothing when it is damaged.
template <class T>
std::optional<T> readable(std::string_view key, std::string_view bytes) {
  try {
    return decode_record<T>(key, bytes);
  } catch (const damaged_record&) {
    return std::nullopt;
  }
}

/// A stable hash, for what is compared by hash on disk.
std::uint64_t hash_of(std::string_view bytes);

} // namespace steadfast::store
