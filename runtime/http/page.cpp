#include "runtime/http/page.hpp"

#include "runtime/http/messages/http_text.hpp"
#include "runtime/http/page_files.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace steadfast::runtime {

namespace {

constexpr int inflate_window = MAX_WBITS + 16; ///< zlib's way to ask for the format of gzip
constexpr std::string_view first_file = "/index.html";

// Nothing but the files of the page and the API of this node, and no script or style in the page itself.
constexpr auto page_policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                             "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string unpacked(const page_file& f) {
  z_stream z{};
  if (inflateInit2(&z, inflate_window) != Z_OK)
    throw std::bad_alloc{};
  std::string out(f.size, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(f.packed.data()));
  z.avail_in = static_cast<uInt>(f.packed.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const int done = inflate(&z, Z_FINISH);
  inflateEnd(&z);
  if (done != Z_STREAM_END)
    throw std::runtime_error{"a file of the page does not unpack"};
  return out;
}

http_response response_with(const page_file& f, bool takes_gzip) {
  http_response r{200, std::string{f.type}, takes_gzip ? std::string{f.packed} : unpacked(f)};
  r.headers.emplace_back("Content-Security-Policy", page_policy);
  // The name of an asset has a hash of its content.
  r.headers.emplace_back("Cache-Control", f.path == first_file ? "no-cache" : "public, max-age=31536000, immutable");
  r.headers.emplace_back("Vary", "Accept-Encoding");
  if (takes_gzip)
    r.headers.emplace_back("Content-Encoding", "gzip");
  return r;
}

} // namespace

std::optional<http_response> page_of(const std::string& path, bool takes_gzip) {
  const bool is_first = path == "/" || path == first_file;
  if (!is_first && !path.starts_with("/assets/"))
    return std::nullopt;
  const auto& files = page_files();
  if (is_first && files.empty())
    return http_response{200, "text/plain",
                         "This node was built without its page, for there was no npm; /openapi.json lists the API.\n"};
  const std::string_view wanted = is_first ? first_file : std::string_view{path};
  const auto found = std::ranges::find(files, wanted, &page_file::path);
  if (found == files.end())
    return response_of({404, "no_such_path", "the page of this node has no such file: load it again"});
  return response_with(*found, takes_gzip);
}

} // namespace steadfast::runtime
