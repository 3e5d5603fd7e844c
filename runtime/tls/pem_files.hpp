#pragma once

#include <boost/asio/ssl/context.hpp>

#include <filesystem>
#include <string>

// Certificates and keys in PEM files, for connections between nodes and over HTTP. `option` is the place in the
// configuration that messages begin with: "cluster.".

namespace steadfast::runtime {

/// TLS 1.2 with forward secrecy, or 1.3; each connection is checked anew.
boost::asio::ssl::context careful_context();

/// Throws node_error with a sentence that names the option, the file and the remedy: a file that cannot be read or is
/// of the wrong kind, a key of another certificate or one that other users can read.
void use_certificate(boost::asio::ssl::context& context, const std::string& option,
                     const std::filesystem::path& certificate, const std::filesystem::path& key);

/// Likewise. Those at the other end are checked by it.
void use_authority(boost::asio::ssl::context& context, const std::string& option,
                   const std::filesystem::path& authority);

/// "cluster.key: FILE " and why, as a node_error.
[[noreturn]] void refuse_pem(const std::string& key, const std::filesystem::path& file, const std::string& why);

} // namespace steadfast::runtime
