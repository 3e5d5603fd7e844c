#include "tests/actors/agents/http/names.hpp"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>

#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>

namespace {

struct told_names {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::vector<std::string>> known;
  std::map<std::string, int> slow; ///< how often they were looked up
};

told_names& told() {
  static told_names all;
  return all;
}

using look_up = int (*)(const char*, const char*, const addrinfo*, addrinfo**);

look_up real_one() {
  static const auto real = reinterpret_cast<look_up>(dlsym(RTLD_NEXT, "getaddrinfo"));
  return real;
}

} // namespace

/// In place of the C library's: what the tests named, and else what that says.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  std::vector<std::string> addresses;
  {
    auto& t = told();
    std::unique_lock lock{t.mutex};
    if (const auto slow = t.slow.find(name == nullptr ? "" : name); slow != t.slow.end()) {
      ++slow->second;
      t.changed.notify_all();
      t.changed.wait(lock, [&] { return !t.slow.contains(name); });
      return EAI_AGAIN;
    }
    if (const auto known = t.known.find(name == nullptr ? "" : name); known != t.known.end())
      addresses = known->second;
  }
  if (addresses.empty())
    return real_one()(name, service, hints, found);
  *found = nullptr;
  auto** last = found; // each is one that the C library has made, so that it can free them
  for (const auto& a : addresses) {
    addrinfo number{};
    number.ai_flags = AI_NUMERICHOST;
    number.ai_socktype = SOCK_STREAM;
    if (real_one()(a.c_str(), nullptr, &number, last) != 0)
      std::abort();
    last = &(*last)->ai_next;
  }
  return 0;
}

namespace steadfast::tests {

named_host::named_host(std::string name, std::vector<std::string> addresses) : name_{std::move(name)} {
  const std::lock_guard lock{told().mutex};
  told().known[name_] = std::move(addresses);
}

named_host::~named_host() {
  const std::lock_guard lock{told().mutex};
  told().known.erase(name_);
}

slow_host::slow_host(std::string name) : name_{std::move(name)} {
  const std::lock_guard lock{told().mutex};
  told().slow[name_] = 0;
}

slow_host::~slow_host() {
  const std::lock_guard lock{told().mutex};
  told().slow.erase(name_);
  told().changed.notify_all();
}

int slow_host::looked_up() const {
  const std::lock_guard lock{told().mutex};
  return told().slow.at(name_);
}

} // namespace steadfast::tests
