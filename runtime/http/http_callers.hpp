#pragma once

#include "api/route.hpp"
#include "runtime/configuration/http_server_options.hpp"
#include "runtime/http/access_tokens.hpp"
#include "runtime/http/messages/http_text.hpp"
#include "runtime/logging/log.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace steadfast::runtime {

/// Who asks, and what they may do.
struct http_caller {
  std::string name; ///< of the token, or of the certificate; empty: nobody has to say who he is
  std::vector<api::scope> scopes;
  std::vector<std::string> workflows; ///< only tasks of these; empty: of all
  std::vector<std::string> roles;     ///< sees and answers the questions to these, whatever the scopes are

  bool may_use(const std::string& workflow) const;
  http_problem not_its_workflow() const;

  /// Only its roles let it use the route.
  bool is_by_role(const api::route& r) const;
  /// Leaves in the parameters of `approval.list` the questions to its roles; or why they ask for others.
  std::optional<http_problem> narrow_to_roles(nlohmann::json& params) const;
  /// Why it may not answer what this step of a task, as `task.show` tells it, asks. Tells nothing of the task else.
  std::optional<http_problem> why_no_answer(const nlohmann::json& task, const std::string& step) const;
  static http_problem no_question();
};

/// What `/v1/me` tells.
nlohmann::json json_of(const http_caller& c);

/// Lets requests in. For any thread.
class http_callers {
public:
  using steady = std::chrono::steady_clock::time_point;

  /// Throws config_error if the file of tokens is wrong.
  explicit http_callers(http_server_options o);

  /// Why the request is refused whoever sent it: it was sent to another host's name (DNS rebinding), or by a page of
  /// another origin. Browsers send such requests for pages that know nothing of a token.
  std::optional<http_problem> why_not_here(const http_request& r) const;

  std::variant<http_caller, http_problem> who_asks(const http_request& r, workflow::instant now) const;

  /// Counts the request. How long the caller should wait, if it has asked too often; else zero.
  std::chrono::milliseconds too_often(const http_caller& c, const std::string& peer, steady now);

  /// Whether pages of that origin may read answers.
  bool is_known_origin(std::string_view origin) const;

  void save_uses();

private:
  struct budget {
    double left = 0;
    steady at;
  };

  std::string ways_in() const;

  const http_server_options options_;
  std::vector<api::scope> certificate_scopes_;
  std::unique_ptr<token_book> tokens_;
  std::mutex mutex_;
  std::map<std::string, budget> budgets_; ///< by caller
};

/// Tells the log of requests whose caller is not known: of each address at most a line a minute, with how many there
/// were. For any thread.
class refused_callers {
public:
  using steady = std::chrono::steady_clock::time_point;

  explicit refused_callers(std::function<void(const log_entry&)> tell) : tell_{std::move(tell)} {}

  void add(const std::string& peer, const std::string& why, steady now);

  /// Tells what was not told yet, of addresses whose minute is over. To be called now and then.
  void tell_rest(steady now);

private:
  struct refusals {
    std::uint64_t untold = 0;
    std::string why; ///< of the last
    steady told_at;
  };

  void tell(const std::string& peer, refusals& r, steady now) const;

  const std::function<void(const log_entry&)> tell_;
  std::mutex mutex_;
  std::map<std::string, refusals> of_peers_;
};

} // namespace steadfast::runtime
