#include "examples/services/ledger/effect_log.hpp"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace services {

namespace {

std::uint64_t seq_of(const std::string& line) {
  const auto parsed = nlohmann::json::parse(line, nullptr, false);
  return parsed.is_object() ? parsed.value("seq", std::uint64_t{0}) : 0;
}

} // namespace

effect_log::effect_log(const std::string& path) {
  file_ = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw std::system_error{errno, std::generic_category(), "open " + path};
  read_what_is_there(path);
}

effect_log::~effect_log() {
  ::close(file_);
}

void effect_log::read_what_is_there(const std::string& path) {
  std::ifstream in{path};
  off_t whole = 0;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    whole += static_cast<off_t>(line.size()) + 1;
    seqs_at_start_.insert(seq_of(line));
  }
  if (::ftruncate(file_, whole) != 0)
    throw std::system_error{errno, std::generic_category(), "cut the torn end off " + path};
}

void effect_log::append(const std::string& line) {
  const auto whole = line + '\n';
  if (::write(file_, whole.data(), whole.size()) == static_cast<ssize_t>(whole.size()))
    return;
  std::perror("the effect log cannot be written");
  std::_Exit(1);
}

} // namespace services
