#include "tests/fuzz/support/fuzz.hpp"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// Of AddressSanitizer; absent in a build without it (sanitizer/allocator_interface.h).
extern "C" {
[[gnu::weak]] int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void*, std::size_t),
                                                            void (*given_back)(const volatile void*));
[[gnu::weak]] std::size_t __sanitizer_get_allocated_size(const volatile void*);
}

namespace steadfast::fuzz {

namespace {

std::atomic<bool> is_watched{false};
std::atomic<std::int64_t> in_use{0};
std::atomic<std::int64_t> most{0};

void add_to_use(std::int64_t bytes) {
  const auto now = in_use += bytes;
  auto before = most.load();
  while (now > before && !most.compare_exchange_weak(before, now)) {
  }
}

void on_taken(const volatile void*, std::size_t size) {
  if (is_watched)
    add_to_use(static_cast<std::int64_t>(size));
}

void on_given_back(const volatile void* p) {
  if (is_watched && p != nullptr)
    add_to_use(-static_cast<std::int64_t>(__sanitizer_get_allocated_size(p)));
}

bool can_watch() {
  static const bool installed = __sanitizer_install_malloc_and_free_hooks != nullptr
                                && __sanitizer_install_malloc_and_free_hooks(on_taken, on_given_back) != 0;
  return installed;
}

} // namespace

void expect(bool holds, std::string_view sentence) {
  expect(holds, sentence, {});
}

void expect(bool holds, std::string_view sentence, std::string_view about) {
  if (holds)
    return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
  if (!about.empty())
    std::fprintf(stderr, "about: %.*s\n", static_cast<int>(about.size()), about.data());
  std::abort();
}

std::vector<std::string> parts_of(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(at, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string_view take_to(std::string_view& text, char at) {
  const auto end = text.find(at);
  const auto part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return part;
}

memory_watch::memory_watch() {
  in_use = 0;
  most = 0;
  is_watched = can_watch();
}

memory_watch::~memory_watch() {
  is_watched = false;
}

std::size_t memory_watch::peak() const {
  return static_cast<std::size_t>(most.load());
}

} // namespace steadfast::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  steadfast::fuzz::try_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
