// The folder with the keys and certificates of a cluster. The nodes trust one authority, made for nothing else.

#include "apps/certificates/cluster_certificates.hpp"

#include "apps/certificates/certificate_making.hpp"
#include "apps/terminal/failure.hpp"
#include "runtime/tls/certificate.hpp"
#include "workflow/text/name.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

namespace steadfast::apps {
namespace {

constexpr const char* authority_name = "authority";
constexpr mode_t folder_mode = 0700;
constexpr mode_t key_mode = 0600;
constexpr mode_t certificate_mode = 0644;

// ---- files ----

/// A file that cannot be examined counts as absent: making it then fails, and says why.
bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int code) {
  const std::string cure = code == EEXIST
                             ? "it is a link to nowhere, or another process has just made it; run this again"
                           : code == ENOENT ? "make the folder above it first"
                                            : "may this user write there, and is there space?";
  throw failure{cannot_start, path.string() + " cannot be written: " + std::strerror(code) + "; " + cure};
}

void make_folder(const std::filesystem::path& folder) {
  if (mkdir(folder.c_str(), folder_mode) != 0 && errno != EEXIST)
    fail_to_write(folder, errno);
}

/// Whether an existing file may be replaced: a link gives a file its name only if that is not taken.
using give_name = int (*)(const char* from, const char* to);

/// Under a hidden name until it is complete, so that a crash leaves no incomplete file. `encode` writes to a BIO and
/// returns 1.
template <class Encode>
void write(const std::filesystem::path& file, mode_t mode, give_name name, Encode encode) {
  auto temporary = (file.parent_path() / ("." + file.filename().string() + ".XXXXXX")).string();
  const int number = mkostemp(temporary.data(), O_CLOEXEC); // exclusive, of mode 0600
  if (number < 0)
    fail_to_write(file, errno);
  const stream_handle out{BIO_new_fd(number, BIO_CLOSE)};
  const bool complete = out && encode(out.get()) == 1 && fchmod(number, mode) == 0 && fsync(number) == 0
                        && name(temporary.c_str(), file.c_str()) == 0;
  const int code = errno;
  unlink(temporary.c_str());
  if (!complete)
    fail_to_write(file, code);
}

/// OpenSSL would ask for it on the terminal.
int no_password(char*, int, int, void*) {
  return -1;
}

/// `decode` makes the object from a BIO; `what` names it.
template <class Handle, class Decode>
Handle read_pem(const std::filesystem::path& file, const std::string& what, Decode decode) {
  const stream_handle in{BIO_new_file(file.c_str(), "r")};
  if (!in)
    throw failure{no_input, file.string() + " cannot be read: " + std::strerror(errno) + "; may this user read it?"};
  Handle found{decode(in.get(), nullptr, no_password, nullptr)};
  if (!found)
    throw failure{wrong_data, file.string() + " is not " + what + " in PEM format (" + crypto_reason()
                                + "): put the right file in its place"};
  return found;
}

/// Empty: it can sign.
const char* fault_of_authority(X509* certificate, EVP_PKEY* key) {
  if (X509_check_private_key(certificate, key) != 1)
    return "does not belong to authority.key";
  if (X509_check_ca(certificate) == 0)
    return "is not the certificate of an authority";
  return X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0 ? "has expired" : nullptr;
}

certificate_handle read_authority(const std::filesystem::path& file, EVP_PKEY* key) {
  auto c = read_pem<certificate_handle>(file, "a certificate", PEM_read_bio_X509);
  if (const char* fault = fault_of_authority(c.get(), key)) {
    ERR_clear_error();
    throw failure{wrong_data, file.string() + " " + fault
                                + ": put the right one in its place, or make all certificates in another folder"};
  }
  return c;
}

/// A folder whose missing files are made.
class certificate_folder {
public:
  explicit certificate_folder(std::filesystem::path path) : path_{std::move(path)} { make_folder(path_); }

  void complete_authority() {
    const bool is_old = has_certificate(authority_name, "put the key back, or make all certificates in another folder");
    const auto file = certificate_file(authority_name);
    authority_key_ = key_of(authority_name);
    authority_ = is_old ? read_authority(file, authority_key_.get()) : authority_certificate(authority_key_.get());
    if (!is_old)
      add_certificate(file, authority_.get());
  }

  /// REQUIRES: the authority is complete.
  void complete(const certificate_subject& of, std::uint32_t days) {
    if (has_certificate(of.name, "put the key back, or remove the certificate so that both are made again"))
      return require(of);
    const auto key = key_of(of.name);
    add_certificate(certificate_file(of.name), signed_for(of, key.get(), days).get());
  }

  /// A new certificate for the same name, hosts, kind and key. REQUIRES: the authority is complete.
  void renew(const std::string& name, std::uint32_t days) {
    if (!has_certificate(name, "put the key back, or remove the certificate so that both are made again"))
      throw failure{no_input, certificate_file(name).string() + " is not there: make it first (steadfast cluster certs "
                                + name + ")"};
    const auto facts = runtime::facts_in(certificate_file(name));
    if (!facts || !facts->vouches.highest)
      throw failure{wrong_data,
                    certificate_file(name).string()
                      + " does not say who may be what: remove it, and make it again (steadfast cluster certs)"};
    const auto key = key_of(name);
    const auto made = signed_for({name, *facts->vouches.highest, facts->hosts}, key.get(), days);
    write(certificate_file(name), certificate_mode, std::rename,
          [&](BIO* out) { return PEM_write_bio_X509(out, made.get()); });
    written_.push_back(certificate_file(name));
  }

  /// The names that have certificates, without the authority.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator{path_})
      if (entry.path().extension() == ".pem" && entry.path().stem() != authority_name)
        all.push_back(entry.path().stem().string());
    std::sort(all.begin(), all.end());
    return all;
  }

  const std::vector<std::filesystem::path>& written() const { return written_; }

private:
  std::filesystem::path key_file(const std::string& name) const { return path_ / (name + ".key"); }
  std::filesystem::path certificate_file(const std::string& name) const { return path_ / (name + ".pem"); }

  certificate_handle signed_for(const certificate_subject& of, EVP_PKEY* key, std::uint32_t days) const {
    return peer_certificate(of, key, days, authority_.get(), authority_key_.get());
  }

  /// Of the hosts it may have more.
  void require(const certificate_subject& of) const {
    const auto facts = runtime::facts_in(certificate_file(of.name));
    for (const auto& host : of.hosts)
      if (facts && std::find(facts->hosts.begin(), facts->hosts.end(), host) == facts->hosts.end())
        throw failure{wrong_data, certificate_file(of.name).string() + " is not for " + host
                                    + ": remove it so that it is made again"};
    if (facts && facts->vouches.highest == of.kind)
      return;
    const auto is = facts && facts->vouches.highest ? "is one of a " + std::string{to_string(*facts->vouches.highest)}
                                                    : std::string{"does not say who may be what"};
    throw failure{wrong_data, certificate_file(of.name).string() + " " + is + ", and one of a "
                                + std::string{to_string(of.kind)} + " is wanted: remove it so that it is made again"};
  }

  bool has_certificate(const std::string& name, const std::string& cure_without_key) const {
    if (!is_there(certificate_file(name)))
      return false;
    if (!is_there(key_file(name)))
      throw failure{no_input, certificate_file(name).string() + " exists without its key " + key_file(name).string()
                                + ": " + cure_without_key};
    return true;
  }

  /// Read, or made.
  key_handle key_of(const std::string& name) {
    const auto file = key_file(name);
    if (is_there(file))
      return read_pem<key_handle>(file, "a private key without password", PEM_read_bio_PrivateKey);
    auto key = new_key();
    write(file, key_mode, link,
          [&](BIO* out) { return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
    written_.push_back(file);
    return key;
  }

  void add_certificate(const std::filesystem::path& file, X509* c) {
    write(file, certificate_mode, link, [c](BIO* out) { return PEM_write_bio_X509(out, c); });
    written_.push_back(file);
  }

  std::filesystem::path path_;
  key_handle authority_key_;
  certificate_handle authority_;
  std::vector<std::filesystem::path> written_;
};

// ---- order ----

void check_name(const std::string& name) {
  if (!workflow::is_name(name) || name == authority_name)
    throw failure{wrong_usage, workflow::quoted(name) + " cannot name a node: give " + std::string{workflow::name_rule}
                                 + ", and not `authority`"};
}

void check_days(std::uint32_t days) {
  if (days < 1 || days > authority_days)
    throw failure{wrong_usage, "a certificate cannot be valid for " + std::to_string(days) + " days: give 1 to "
                                 + std::to_string(authority_days)};
}

void check_folder(const std::filesystem::path& folder) {
  if (folder.empty())
    throw failure{wrong_usage, "the certificates need a folder: name one"};
}

/// As certificates have it.
std::string host_in(const std::string& text) {
  for (const int family : {AF_INET, AF_INET6}) {
    std::array<unsigned char, sizeof(in6_addr)> address{};
    std::array<char, INET6_ADDRSTRLEN> usual{};
    if (inet_pton(family, text.c_str(), address.data()) == 1
        && inet_ntop(family, address.data(), usual.data(), usual.size()) != nullptr)
      return std::string{"IP:"} + usual.data();
  }
  const bool is_host = !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
  });
  if (!is_host)
    throw failure{wrong_usage, workflow::quoted(text) + " is no host: give a name such as n1.example, or an address"};
  return "DNS:" + text;
}

/// Who gets a certificate of which kind.
std::map<std::string, workflow::peer_kind> wanted_by(const certificate_order& order) {
  std::map<std::string, workflow::peer_kind> all;
  for (const auto& name : order.nodes)
    all[name] = workflow::peer_kind::node;
  for (const auto& name : order.clients)
    if (!all.emplace(name, workflow::peer_kind::client).second)
      throw failure{wrong_usage,
                    workflow::quoted(name) + " cannot be a node and a client: give one of them another name"};
  for (const auto& name : order.stores) {
    auto& kind = all.emplace(name, workflow::peer_kind::store).first->second;
    if (kind == workflow::peer_kind::client)
      throw failure{wrong_usage, workflow::quoted(name) + " cannot have the store and be a client"};
    kind = workflow::peer_kind::store;
  }
  for (const auto& [name, kind] : all)
    check_name(name);
  return all;
}

} // namespace

std::vector<std::filesystem::path> make_certificates(const certificate_order& order) {
  check_folder(order.folder);
  const auto wanted = wanted_by(order);
  std::vector<std::string> hosts;
  for (const auto& host : order.hosts)
    hosts.push_back(host_in(host));
  check_days(order.days);
  certificate_folder folder{order.folder};
  folder.complete_authority();
  for (const auto& [name, kind] : wanted)
    folder.complete({name, kind, kind == workflow::peer_kind::client ? std::vector<std::string>{} : hosts}, order.days);
  return folder.written();
}

std::vector<std::filesystem::path> renew_certificates(const certificate_renewal& order) {
  check_folder(order.folder);
  for (const auto& name : order.names)
    check_name(name);
  check_days(order.days);
  if (!is_there(order.folder / (std::string{authority_name} + ".key")))
    throw failure{no_input, (order.folder / authority_name).string()
                              + ".key is not there: certificates are renewed where they were made"};
  certificate_folder folder{order.folder};
  folder.complete_authority();
  for (const auto& name : order.names.empty() ? folder.names() : order.names)
    folder.renew(name, order.days);
  return folder.written();
}

} // namespace steadfast::apps
