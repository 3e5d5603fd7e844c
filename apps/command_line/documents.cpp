#include "apps/command_line/documents.hpp"

#include "apps/terminal/failure.hpp"
#include "workflow/text/json_place.hpp"
#include "workflow/text/json_text.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace steadfast::apps {
namespace {

constexpr std::size_t document_size_max = 64 << 20; // the node's own limit is lower, and the node reports it

std::string read_all(std::istream& in) {
  std::string text;
  for (std::istreambuf_iterator<char> i{in}, end; i != end && text.size() <= document_size_max; ++i)
    text += *i;
  return text;
}

} // namespace

void require_file(const std::string& file) {
  std::error_code error;
  const auto kind = std::filesystem::status(file, error).type();
  if (kind == std::filesystem::file_type::not_found)
    throw failure{no_input, file + ": there is no such file"};
  if (kind == std::filesystem::file_type::directory)
    throw failure{no_input, file + " is a folder: name a file in it"};
}

std::string read_document(const std::string& file) {
  if (file == "-")
    return read_all(std::cin);
  require_file(file);
  std::ifstream in{file, std::ios::binary};
  if (!in)
    throw failure{no_input, file + " cannot be read: " + std::strerror(errno)};
  return read_all(in);
}

void require_json(std::string_view text, const std::string& what) {
  if (workflow::is_json(text) && workflow::is_utf8(text))
    return;
  std::string mistake;
  try {
    const auto parsed = nlohmann::json::parse(text);
    mistake = "it is nested too deep";
  } catch (const nlohmann::json::parse_error& e) {
    const std::string_view sentence{e.what()};
    const auto colon = sentence.find("] "); // "[json.exception.parse_error.101] parse error at line 1, column 3: ..."
    mistake = sentence.substr(colon == std::string_view::npos ? 0 : colon + 2);
  }
  throw failure{wrong_data, what + " is not JSON: " + mistake};
}

} // namespace steadfast::apps
