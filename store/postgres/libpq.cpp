#include "store/postgres/libpq.hpp"

#include "store/contract/state_store.hpp"

#include <dlfcn.h>

#include <string>

namespace steadfast::store::postgres {
namespace {

[[noreturn]] void fail() {
  const char* why = dlerror();
  throw store_error{std::string{"the client library of PostgreSQL cannot be loaded: "} + (why == nullptr ? "" : why)
                      + " (on Debian: apt-get install libpq5)",
                    true};
}

libpq_functions load() {
  void* const library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    fail();
  libpq_functions f;
#define STEADFAST_LOAD(name)                                                                                           \
  f.name = reinterpret_cast<decltype(f.name)>(dlsym(library, "PQ" #name));                                             \
  if (f.name == nullptr)                                                                                               \
    fail();
  STEADFAST_LIBPQ(STEADFAST_LOAD)
#undef STEADFAST_LOAD
  return f;
}

} // namespace

const libpq_functions& libpq() {
  static const auto loaded = load();
  return loaded;
}

} // namespace steadfast::store::postgres
