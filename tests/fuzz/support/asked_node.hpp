#pragma once

#include "runtime/control/control_server.hpp"
#include "runtime/http/http_server.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace steadfast {
class assembled_node;
}

namespace steadfast::fuzz {

/// A real node in this process with a control channel and an HTTP port, for inputs to talk to.
class asked_node {
public:
  static constexpr std::size_t frame_max = 64 << 10; ///< of a line, and of a body

  /// Made when it is first asked for.
  static asked_node& get();

  asked_node();
  ~asked_node();
  asked_node(const asked_node&) = delete;
  asked_node& operator=(const asked_node&) = delete;

  std::filesystem::path socket() const;
  std::uint16_t http_port() const { return http_->port(); }
  /// Takes away the files that it was asked for; now and then it is replaced, so that its store does not grow for ever.
  void tidy_up();

private:
  void start();
  void stop();

  std::unique_ptr<assembled_node> node_;
  std::unique_ptr<control_server> server_;
  std::unique_ptr<runtime::http_server> http_;
  std::size_t inputs_ = 0;
};

} // namespace steadfast::fuzz
