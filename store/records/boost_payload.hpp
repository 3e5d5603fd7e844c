#pragma once

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>

#include <sstream>
#include <string>

// For C++ programs whose payloads are types that Boost.Serialization knows. In a header of its own: nobody else needs
// it.

namespace steadfast {

/// What such a payload's content type is called.
inline constexpr const char* boost_content_type = "application/x-boost-archive";

/// The value as a text archive, which every machine reads.
template <class T>
std::string to_boost_payload(const T& value) {
  std::ostringstream out;
  boost::archive::text_oarchive{out} << value;
  return out.str();
}

/// Throws boost::archive::archive_exception when the text is no archive of a T.
template <class T>
T from_boost_payload(const std::string& text) {
  std::istringstream in{text};
  T value;
  boost::archive::text_iarchive{in} >> value;
  return value;
}

} // namespace steadfast
