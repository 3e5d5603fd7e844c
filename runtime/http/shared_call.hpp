#pragma once

#include "runtime/control/control_server.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace steadfast::runtime {

/// A method without parameters, called once at a time for all who ask: who asks during a call is answered by the next
/// one. For any thread.
class shared_call : public std::enable_shared_from_this<shared_call> {
public:
  /// `on_thread` runs it on a thread that may be blocked.
  shared_call(std::shared_ptr<const control_methods> methods, std::string name,
              std::function<void(std::function<void()>)> on_thread);

  void ask(control_reply reply);

private:
  void begin();
  void answer(const std::vector<control_reply>& asked, const control_answer& a);

  const std::shared_ptr<const control_methods> methods_;
  const std::string name_;
  const std::function<void(std::function<void()>)> on_thread_;
  std::mutex mutex_;
  std::vector<control_reply> waiting_; ///< for the next call
  bool is_under_way_ = false;
};

} // namespace steadfast::runtime
