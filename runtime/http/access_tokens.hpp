#pragma once

#include "api/route.hpp"
#include "workflow/time/time.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfast::runtime {

/// What may be asked with one token (bearer tokens, RFC 6750).
struct access_token {
  std::string id;   ///< part of the token, by which it is found
  std::string name; ///< of who has it: what is done with it is done by that name
  std::string hash; ///< SHA-256 of the whole token, in hexadecimal; the token itself is kept nowhere
  std::vector<api::scope> scopes;
  std::vector<std::string> workflows; ///< only tasks of these; empty: of all
  std::vector<std::string> roles;     ///< sees and answers the questions to these, whatever the scopes are
  workflow::instant made_at;
  workflow::instant expires_at = workflow::never;
};

/// The tokens in a file; none if there is no such file. Throws config_error if it is no file of tokens, or others may
/// read it.
std::vector<access_token> read_tokens(const std::filesystem::path& file);

/// Replaces the file, in one step, for its owner only. Throws config_error if it cannot be written.
void write_tokens(const std::filesystem::path& file, const std::vector<access_token>& all);

/// Draws 256 random bits; sets id and hash. Returns the token.
std::string make_token(access_token& t);

/// Whose token this is. The time that it takes tells nothing of the hashes.
std::optional<access_token> found_token(const std::vector<access_token>& all, std::string_view token);

/// When each token was used last, by id, as the nodes that use the file noted it beside it.
std::map<std::string, workflow::instant> last_uses(const std::filesystem::path& file);

/// A file of tokens, as it is when a token is checked: one that was revoked is refused at once. For any thread.
class token_book {
public:
  /// Throws config_error when the file is not there, or is wrong.
  explicit token_book(std::filesystem::path file);

  /// Nothing: there is no such token, it has expired, or the file cannot be read any more. Notes its use.
  std::optional<access_token> find(std::string_view token, workflow::instant now);

  /// Writes beside the file when tokens were used last, if any was since it was written.
  void save_uses();

private:
  void refresh();

  struct version {
    std::filesystem::file_time_type written;
    std::uintmax_t size = 0;
    friend bool operator==(const version&, const version&) = default;
  };

  const std::filesystem::path file_;
  std::mutex mutex_;
  std::optional<version> version_;
  std::vector<access_token> tokens_;
  std::map<std::string, workflow::instant> used_; ///< since the last time that they were written
};

} // namespace steadfast::runtime
