#pragma once

#include "api/method.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The methods as resources: where each is reached over HTTP, and what a caller must be allowed to.

namespace steadfast::api {

enum class verb : std::uint8_t { get, put, post };
std::string_view to_string(verb v);

/// What the holder of a token may do.
enum class scope : std::uint8_t {
  submits, ///< submit tasks, and learn what became of them
  read,    ///< look at everything
  operate, ///< act on tasks, alerts and circuits; includes read
  admin,   ///< everything
};
std::string_view to_string(scope s);
std::optional<scope> parse_scope(std::string_view text);

/// Whether somebody with these scopes may do what needs that one.
bool allows(const std::vector<scope>& granted, scope needed);

/// One way to call a method. A name in braces in the path is the parameter of that name. The others are in the query of
/// a GET, and in the body, a JSON object, of the rest.
struct route {
  api::verb verb = verb::get;
  std::string path;   ///< "/v1/tasks/{id}"
  std::string method; ///< its name
  scope needs = scope::read;
  /// What a token that is limited to some workflows may use: what is about one task, or many, or makes one, an event
  /// for one task, and what names the token of a step, which is known to those alone who were given it.
  enum class about : std::uint8_t { one_task, many_tasks, new_task, event, held_step, other };
  about is_about = about::other;
  /// Open without that scope to those who have roles: for the questions to these.
  bool is_for_roles = false;
  /// It asks other nodes, or reads much of the store: nobody else should have to wait for it.
  bool is_slow = false;
};

const std::vector<route>& routes();

struct matched_route {
  const route* found = nullptr;             ///< null: there is none for path and verb
  std::map<std::string, std::string> named; ///< parameters in the path
  std::vector<verb> verbs;                  ///< that the path has
};

/// `segments`: of the path, between slashes, decoded, so that an id may have a slash in it.
matched_route match(verb v, const std::vector<std::string>& segments);

} // namespace steadfast::api
