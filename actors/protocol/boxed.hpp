#pragma once

#include "store/records/record.hpp"

#include <caf/error.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/sec.hpp>

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace steadfast::actors {

/// An immutable value inside a message: within a process only the pointer travels, between processes the record bytes.
template <class T>
class boxed {
public:
  boxed() = default;
  explicit boxed(T value) : value_{std::make_shared<const T>(std::move(value))} {}
  explicit boxed(std::shared_ptr<const T> value) : value_{std::move(value)} {}

  explicit operator bool() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  const std::shared_ptr<const T>& share() const { return value_; }

  template <class Inspector>
  friend typename Inspector::result_type inspect(Inspector& f, boxed& x) {
    std::string bytes;
    if constexpr (Inspector::reads_state) {
      if (x)
        bytes = store::encode(*x);
    }
    auto load = [&]() -> caf::error {
      try {
        x = bytes.empty() ? boxed{} : boxed{store::decode<T>(bytes)};
        return {};
      } catch (const std::exception& e) { // what a peer sends is not ours to trust
        return caf::make_error(caf::sec::invalid_argument, std::string{e.what()});
      }
    };
    return f(caf::meta::type_name("steadfast4::boxed"), bytes, caf::meta::load_callback(load));
  }

private:
  std::shared_ptr<const T> value_;
};

} // namespace steadfast::actors
