#pragma once

#include <string>
#include <vector>

namespace steadfast::tests {

/// While it lives, that name has these addresses in this process, in this order: the tests take the place of
/// getaddrinfo.
class named_host {
public:
  named_host(std::string name, std::vector<std::string> addresses);
  ~named_host();
  named_host(const named_host&) = delete;
  named_host& operator=(const named_host&) = delete;

private:
  const std::string name_;
};

/// While it lives, who looks that name up waits.
class slow_host {
public:
  explicit slow_host(std::string name);
  ~slow_host();
  slow_host(const slow_host&) = delete;
  slow_host& operator=(const slow_host&) = delete;

  int looked_up() const; ///< who waits or has waited

private:
  const std::string name_;
};

} // namespace steadfast::tests
