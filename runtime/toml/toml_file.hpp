#pragma once

#include "runtime/text/secret.hpp"
#include "workflow/time/time.hpp"

#include <toml++/toml.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Reads TOML files whose every key is known. For use in the .cpp files of readers: toml++ is slow to compile.

namespace steadfast::runtime {

/// The mistakes that a reader found in a file, and the keys that it knows.
class toml_report {
public:
  explicit toml_report(std::string file) : file_{std::move(file)} {}

  void add(std::size_t line, const std::string& key, const std::string& what);
  void know(const std::string& key, bool seen);

  /// Throws config_error, in order of lines, if there is anything.
  void throw_if_any();

  /// The folder of the file: relative paths in it count from there.
  std::filesystem::path folder() const { return std::filesystem::path{file_}.parent_path(); }

  const std::set<std::string>& known() const { return known_; }
  const std::set<std::string>& seen() const { return seen_; }

private:
  std::string file_;
  std::vector<std::pair<std::size_t, std::string>> problems_;
  std::set<std::string> known_;
  std::set<std::string> seen_;
};

/// Parses the text. Throws config_error if it is not TOML. `file` is named in messages.
toml::table parse_toml(std::string_view text, const std::string& file);

/// The text of a file of at most 1 MiB. Throws config_error.
std::string read_text_file(const std::filesystem::path& file);

/// One table of a file. A key that is absent leaves its target as it is; one that is wrong is reported.
class toml_section {
public:
  /// `place` is put before the name of a key: "supervisor." or "".
  toml_section(const toml::table& table, const std::string& place, toml_report& report)
      : toml_section{table, place, place, report} {}

  /// From now on messages begin with that, such as "step `pay`: ", in place of where the table is.
  void show_as(std::string shown) { shown_ = std::move(shown); }

  void read(std::string_view key, std::string& into);
  void read(std::string_view key, bool& into);
  void read(std::string_view key, workflow::span& into);
  void read(std::string_view key, std::filesystem::path& into);
  void read(std::string_view key, std::vector<std::string>& into);
  void read(std::string_view key, std::vector<std::int32_t>& into);
  void read_size(std::string_view key, std::uint64_t& into);
  void read_one_of(std::string_view key, std::string& into, const std::vector<std::string_view>& allowed);
  /// A share such as 0.2, kept as percent.
  void read_share(std::string_view key, std::uint32_t& percent, double min, double max);
  template <std::unsigned_integral T>
  void read_count(std::string_view key, T& into, T min = 0, T max = std::numeric_limits<T>::max()) {
    into = static_cast<T>(count(key, into, min, max));
  }
  /// Texts by name; those given as { env = "NAME" } or { file = "path" } go to `secrets`.
  void read(std::string_view key, std::map<std::string, std::string>& into, std::map<std::string, secret>& secrets);

  /// The value as it is in the file, for what only the caller understands; nullptr: absent.
  const toml::node* take(std::string_view key);
  std::optional<toml_section> section(std::string_view key);
  std::vector<toml_section> sections(std::string_view key);

  void complain(std::string_view key, const std::string& what);
  /// About the table as a whole.
  void complain(const std::string& what);
  /// Reports the keys that nobody asked for. Call it after asking for all.
  void end();

  const toml::table& table() const { return *table_; }
  std::size_t line() const { return table_->source().begin.line; }
  std::string place_of(std::string_view key) const { return shown_ + std::string{key}; } ///< for messages
  toml_report& report() { return *report_; }

private:
  toml_section(const toml::table& table, std::string place, std::string shown, toml_report& report)
      : table_{&table},
        place_{std::move(place)},
        shown_{std::move(shown)},
        report_{&report} {}

  toml_section within(const toml::table& t, std::string_view key) const;
  std::uint64_t count(std::string_view key, std::uint64_t now, std::uint64_t min, std::uint64_t max);
  template <class T, class Read>
  void read_list(std::string_view key, std::vector<T>& into, std::string_view of_what, Read read_one);

  const toml::table* table_;
  std::string place_;
  std::string shown_; ///< before the name of a key in messages
  toml_report* report_;
  std::vector<std::string> known_;
};

/// The kind of a value in the file, for messages: "a number", "a table".
std::string kind_of(const toml::node& n);

/// The secret that { env = "NAME" } or { file = "path" } points to. Reports mistakes to `at`.
std::optional<secret> read_secret(toml_section& at, std::string_view key, const toml::table& where);

} // namespace steadfast::runtime
