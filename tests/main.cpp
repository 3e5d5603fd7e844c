#define CATCH_CONFIG_RUNNER
#include "tests/support/skip.hpp"

#include <catch2/catch.hpp>

namespace {

constexpr int skipped_code = 77; ///< as CMakeLists.txt tells CTest
bool is_skipped = false;

} // namespace

void steadfast::tests::skip(const std::string& why) {
  WARN("SKIPPED: " << why);
  is_skipped = true;
}

/// Each test of CTest is a run of its own. Of several in one run the exit code tells whether one failed.
int main(int count, char** arguments) {
  Catch::Session session;
  if (const int wrong = session.applyCommandLine(count, arguments); wrong != 0)
    return wrong;
  const int failed = session.run();
  return failed == 0 && is_skipped && session.config().getTestsOrTags().size() == 1 ? skipped_code : failed;
}
