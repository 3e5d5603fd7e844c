#include "store/records/frame.hpp"

#include <xxhash.h>

#include <bit>
#include <cstring>

namespace steadfast::store {

// The formats are native integers of a little-endian machine with 64 bits; elsewhere files could not be exchanged.
static_assert(std::endian::native == std::endian::little && sizeof(std::size_t) == 8,
              "the storage format needs a 64-bit little-endian machine");

namespace {

template <class T>
void write_at(std::string& to, std::size_t at, T value) {
  std::memcpy(to.data() + at, &value, sizeof(T));
}

template <class T>
T read_at(std::string_view from, std::size_t at) {
  T value{};
  std::memcpy(&value, from.data() + at, sizeof(T));
  return value;
}

std::uint64_t checksum(std::string_view frame, std::string_view key) {
  const std::string_view checked = frame.substr(8);
  return XXH3_64bits_withSeed(checked.data(), checked.size(), XXH3_64bits(key.data(), key.size()));
}

} // namespace

void seal(std::string& frame, std::uint16_t format, record_kind kind, std::string_view key) {
  const std::size_t size = frame.size() - frame_head_size;
  if (size > body_size_max)
    throw std::length_error{"a record is larger than 256 MiB"};
  write_at(frame, 8, format);
  write_at(frame, 10, static_cast<std::uint16_t>(kind));
  write_at(frame, 12, static_cast<std::uint32_t>(size));
  write_at(frame, 0, checksum(frame, key));
}

std::uint64_t check_of(std::string_view frame) {
  return frame.size() < frame_head_size ? 0 : read_at<std::uint64_t>(frame, 0);
}

opened_frame open_frame(std::string_view frame, record_kind kind, std::string_view key) {
  if (frame.size() < frame_head_size || frame.size() - frame_head_size > body_size_max)
    throw damaged_record{"its size cannot be right"};
  const std::string_view body = frame.substr(frame_head_size);
  if (read_at<std::uint32_t>(frame, 12) != body.size())
    throw damaged_record{"its length does not match"};
  if (read_at<std::uint64_t>(frame, 0) != checksum(frame, key))
    throw damaged_record{"its checksum does not match"};
  if (read_at<std::uint16_t>(frame, 10) != static_cast<std::uint16_t>(kind))
    throw damaged_record{"it is a record of another kind"};
  return {read_at<std::uint16_t>(frame, 8), body};
}

} // namespace steadfast::store
