#include "actors/agents/http/http_loop.hpp"

#include "actors/agents/call_threads.hpp"

#include <boost/asio/post.hpp>

namespace steadfast::actors {

http_loop::http_loop()
    : io_{std::make_shared<boost::asio::io_context>(1)},
      always_work_{boost::asio::make_work_guard(*io_)},
      thread_{[io = io_] {
        block_signals();
        io->run();
      }} {}

http_loop::~http_loop() {
  boost::asio::post(*io_, [&io = *io_] { io.stop(); });
  always_work_.reset();
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();
  else
    thread_.join();
}

} // namespace steadfast::actors
