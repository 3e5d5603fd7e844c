#include "runtime/toml/secret_file.hpp"

#include "runtime/toml/toml_file.hpp"

#include <system_error>

namespace steadfast::runtime {

std::string why_no_secret(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto mode = fs::status(file, error).permissions();
  return !error && (mode & fs::perms::others_read) != fs::perms::none
           ? file.string() + " can be read by everybody: chmod 600 it"
           : "";
}

std::string read_secret_file(const std::filesystem::path& file) {
  auto text = read_text_file(file);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.pop_back();
  return text;
}

} // namespace steadfast::runtime
