#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace steadfast::runtime {

/// A file of the page, as the build put it into the program.
struct page_file {
  std::string_view path; ///< "/index.html"
  std::string_view type;
  std::size_t size;        ///< unpacked
  std::string_view packed; ///< by gzip
};

/// None: the program was built without the page.
const std::vector<page_file>& page_files();

} // namespace steadfast::runtime
