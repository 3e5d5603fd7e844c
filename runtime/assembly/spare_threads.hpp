#pragma once

#include <caf/actor.hpp>

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace caf {
class actor_system;
}

namespace steadfast {

/// Threads of an actor system's pool that are kept in reserve: an actor that waits holds each of them. So the pool runs
/// as many threads as there are cores, and gets another one for each that a user's function blocks. The pool must have
/// `count` threads more than it should run. One thread calls it.
class spare_threads {
public:
  spare_threads(caf::actor_system& sys, std::size_t count);
  ~spare_threads(); ///< all of them run from then on
  spare_threads(const spare_threads&) = delete;
  spare_threads& operator=(const spare_threads&) = delete;

  /// Lets so many run, at most all; the others go back into reserve as soon as they have nothing to do.
  void run(std::size_t wanted);

private:
  struct gate {
    std::mutex mutex;
    std::condition_variable opens;
    std::size_t running = 0; ///< those before this place run
  };

  std::shared_ptr<gate> gate_ = std::make_shared<gate>();
  std::vector<caf::actor> holders_;
};

} // namespace steadfast
