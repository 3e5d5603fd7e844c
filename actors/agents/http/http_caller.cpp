#include "actors/agents/http/http_caller.hpp"

#include "actors/agents/http/http_calls.hpp"
#include "actors/agents/http/http_loop.hpp"
#include "actors/agents/masking.hpp"

#include <utility>

namespace steadfast::actors {

namespace {

class http_caller : public caller {
public:
  http_caller(std::shared_ptr<http_loop> loop, http_options o, std::uint64_t body_max, call_over over,
              call_headers headers)
      : service_{origin_of(o.url)},
        loop_{std::move(loop)},
        calls_{std::make_shared<http_calls>(loop_->io(), std::move(o), body_max, std::move(over), std::move(headers))} {
  }
  ~http_caller() override { calls_->end(); }

  const char* kind() const override { return "http"; }
  std::string service() const override { return service_; }
  std::optional<answer> start(call_ticket ticket, call what) override {
    calls_->start(ticket, std::move(what));
    return std::nullopt;
  }
  void stop(call_ticket ticket) override { calls_->stop(ticket); }

private:
  const std::string service_;
  const std::shared_ptr<http_loop> loop_;
  const std::shared_ptr<http_calls> calls_;
};

} // namespace

std::unique_ptr<caller> make_http_caller(http_options o, std::uint64_t result_size_max, call_over over,
                                         call_headers headers, std::shared_ptr<http_loop> loop) {
  if (!loop)
    loop = std::make_shared<http_loop>();
  return std::make_unique<http_caller>(std::move(loop), std::move(o), result_size_max, std::move(over),
                                       std::move(headers));
}

} // namespace steadfast::actors
