#include "store/records/boost_payload.hpp"

#include <boost/archive/archive_exception.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <catch2/catch.hpp>

namespace {

struct order {
  std::string customer;
  std::vector<int> items;

  template <class Archive>
  void serialize(Archive& a, unsigned) {
    a& customer& items;
  }
  friend bool operator==(const order&, const order&) = default;
};

} // namespace

TEST_CASE("a payload of an own type is written as text and read back") {
  const order o{"kim", {1, 2, 3}};
  const auto payload = steadfast::to_boost_payload(o);
  CHECK(steadfast::from_boost_payload<order>(payload) == o);
}

TEST_CASE("a text that is no archive is refused") {
  CHECK_THROWS_AS(steadfast::from_boost_payload<order>("{}"), boost::archive::archive_exception);
}
