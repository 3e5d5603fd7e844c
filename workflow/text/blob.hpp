#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace steadfast::workflow {

/// Immutable bytes that copies share: a payload or a step's result. An empty blob holds no bytes.
class blob {
public:
  blob() = default;
  explicit blob(std::string bytes)
      : bytes_{bytes.empty() ? nullptr : std::make_shared<const std::string>(std::move(bytes))} {}

  std::string_view view() const { return bytes_ ? std::string_view{*bytes_} : std::string_view{}; }
  std::size_t size() const { return view().size(); }
  bool empty() const { return !bytes_; }

  friend bool operator==(const blob& a, const blob& b) { return a.bytes_ == b.bytes_ || a.view() == b.view(); }

private:
  std::shared_ptr<const std::string> bytes_;
};

} // namespace steadfast::workflow
