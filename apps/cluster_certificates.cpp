// Keys and certificates (X.509) by OpenSSL's libcrypto. The nodes trust one authority, made for nothing else.

#include "apps/cluster_certificates.hpp"

#include "apps/failure.hpp"
#include "workflow/name.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

namespace steadfast::apps {
namespace {

constexpr const char* authority_name = "authority";
constexpr std::uint32_t authority_days = 3652;  // ten years
constexpr long clock_tolerance = 24L * 60 * 60; // seconds by which the clocks of hosts may differ
constexpr mode_t folder_mode = 0700;
constexpr mode_t key_mode = 0600;
constexpr mode_t certificate_mode = 0644;

// ---- libcrypto ----

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using key_handle = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using certificate_handle = std::unique_ptr<X509, freed_by<X509_free>>;
using extension_handle = std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>>;
using number_handle = std::unique_ptr<BIGNUM, freed_by<BN_free>>;
using stream_handle = std::unique_ptr<BIO, freed_by<BIO_free>>;

/// Why the last call of libcrypto failed; forgets it.
std::string crypto_reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason ? reason : "no reason given";
}

void require_crypto(bool worked, const std::string& what) {
  if (!worked)
    throw failure{our_fault, "OpenSSL cannot make " + what + ": " + crypto_reason() + "; is its openssl.cnf sound?"};
}

// ---- certificates ----

/// What is certified (NID_*), and in the words of openssl.cnf.
using extensions = std::vector<std::pair<int, std::string>>;

void set_name(X509* c, const std::string& common_name) {
  const auto add = [name = X509_get_subject_name(c)](const char* field, const std::string& text) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.c_str());
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, -1, -1, 0) == 1;
  };
  require_crypto(add("O", "Steadfast") && add("CN", common_name), "the name of a certificate");
}

void set_serial_number(X509* c) {
  constexpr int bits = 128;
  const number_handle number{BN_new()};
  require_crypto(number && BN_rand(number.get(), bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
                   && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(c)),
                 "a serial number");
}

certificate_handle unsigned_certificate(const std::string& common_name, EVP_PKEY* key, std::uint32_t days) {
  certificate_handle c{X509_new()};
  require_crypto(c && X509_set_version(c.get(), X509_VERSION_3) == 1 && X509_set_pubkey(c.get(), key) == 1
                   && X509_gmtime_adj(X509_getm_notBefore(c.get()), -clock_tolerance)
                   && X509_time_adj_ex(X509_getm_notAfter(c.get()), static_cast<int>(days), 0, nullptr),
                 "a certificate");
  set_name(c.get(), common_name);
  set_serial_number(c.get());
  return c;
}

/// The issuer is the certificate itself, or another one that is complete.
void sign(X509* c, X509* issuer, EVP_PKEY* issuer_key, const extensions& more) {
  X509V3_CTX parties{};
  X509V3_set_ctx(&parties, issuer, c, nullptr, nullptr, 0);
  for (const auto& [kind, value] : more) {
    const extension_handle made{X509V3_EXT_conf_nid(nullptr, &parties, kind, value.c_str())};
    require_crypto(made && X509_add_ext(c, made.get(), -1) == 1, "the extension " + value);
  }
  require_crypto(X509_set_issuer_name(c, X509_get_subject_name(issuer)) == 1
                   && X509_sign(c, issuer_key, EVP_sha256()) > 0,
                 "a signature");
}

certificate_handle authority_certificate(EVP_PKEY* key) {
  auto c = unsigned_certificate("Steadfast authority", key, authority_days);
  sign(c.get(), c.get(), key,
       {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
        {NID_key_usage, "critical,keyCertSign,cRLSign"},
        {NID_subject_key_identifier, "hash"}});
  return c;
}

/// A node is the server of some connections and the client of others.
certificate_handle node_certificate(const std::string& name, EVP_PKEY* key, std::uint32_t days, X509* authority,
                                    EVP_PKEY* authority_key) {
  auto c = unsigned_certificate(name, key, days);
  const auto* end = X509_get0_notAfter(authority);
  if (ASN1_TIME_compare(X509_get0_notAfter(c.get()), end) > 0)
    require_crypto(X509_set1_notAfter(c.get(), end) == 1, "a certificate");
  sign(c.get(), authority, authority_key,
       {{NID_basic_constraints, "critical,CA:FALSE"},
        {NID_key_usage, "critical,digitalSignature"},
        {NID_ext_key_usage, "serverAuth,clientAuth"},
        {NID_subject_key_identifier, "hash"},
        {NID_authority_key_identifier, "keyid"},
        {NID_subject_alt_name, "DNS:" + name}});
  return c;
}

// ---- files ----

/// What cannot be looked at counts as absent: making it then fails, and says why.
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

/// Under a hidden name of its own until it is complete, so that a crash leaves no half file. A link then gives it the
/// right one: renaming would replace what another process has just made. `encode` writes to a BIO and returns 1.
template <class Encode>
void write_new(const std::filesystem::path& file, mode_t mode, Encode encode) {
  auto temporary = (file.parent_path() / ("." + file.filename().string() + ".XXXXXX")).string();
  const int number = mkostemp(temporary.data(), O_CLOEXEC); // exclusive, of mode 0600
  if (number < 0)
    fail_to_write(file, errno);
  const stream_handle out{BIO_new_fd(number, BIO_CLOSE)};
  const bool complete = out && encode(out.get()) == 1 && fchmod(number, mode) == 0 && fsync(number) == 0
                        && link(temporary.c_str(), file.c_str()) == 0;
  const int code = errno;
  unlink(temporary.c_str());
  if (!complete)
    fail_to_write(file, code);
}

/// OpenSSL would ask for it on the terminal.
int no_password(char*, int, int, void*) {
  return -1;
}

/// `decode` makes the object of a BIO; `what` it is.
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

/// Nothing, if it can sign.
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
  void complete_node(const std::string& name, std::uint32_t days) {
    if (has_certificate(name, "put the key back, or remove the certificate so that both are made anew"))
      return;
    const auto key = key_of(name);
    const auto made = node_certificate(name, key.get(), days, authority_.get(), authority_key_.get());
    add_certificate(certificate_file(name), made.get());
  }

  const std::vector<std::filesystem::path>& written() const { return written_; }

private:
  std::filesystem::path key_file(const std::string& name) const { return path_ / (name + ".key"); }
  std::filesystem::path certificate_file(const std::string& name) const { return path_ / (name + ".pem"); }

  bool has_certificate(const std::string& name, const std::string& cure_without_key) const {
    if (!is_there(certificate_file(name)))
      return false;
    if (!is_there(key_file(name)))
      throw failure{no_input, certificate_file(name).string() + " is there without its key " + key_file(name).string()
                                + ": " + cure_without_key};
    return true;
  }

  /// Read, or made.
  key_handle key_of(const std::string& name) {
    const auto file = key_file(name);
    if (is_there(file))
      return read_pem<key_handle>(file, "a private key without password", PEM_read_bio_PrivateKey);
    key_handle key{EVP_EC_gen("P-256")};
    require_crypto(key != nullptr, "a key");
    write_new(file, key_mode, [&](BIO* out) {
      return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
    written_.push_back(file);
    return key;
  }

  void add_certificate(const std::filesystem::path& file, X509* c) {
    write_new(file, certificate_mode, [c](BIO* out) { return PEM_write_bio_X509(out, c); });
    written_.push_back(file);
  }

  std::filesystem::path path_;
  key_handle authority_key_;
  certificate_handle authority_;
  std::vector<std::filesystem::path> written_;
};

// ---- order ----

void check_order(const certificate_order& order) {
  if (order.folder.empty())
    throw failure{wrong_usage, "the certificates need a folder: name one"};
  for (const auto& name : order.nodes)
    if (!workflow::is_name(name) || name == authority_name)
      throw failure{wrong_usage, workflow::quoted(name) + " cannot name a node: give "
                                   + std::string{workflow::name_rule} + ", and not `authority`"};
  if (order.days < 1 || order.days > authority_days)
    throw failure{wrong_usage, "a certificate cannot be valid for " + std::to_string(order.days) + " days: give 1 to "
                                 + std::to_string(authority_days)};
}

} // namespace

std::vector<std::filesystem::path> make_certificates(const certificate_order& order) {
  check_order(order);
  certificate_folder folder{order.folder};
  folder.complete_authority();
  for (const auto& name : order.nodes)
    folder.complete_node(name, order.days);
  return folder.written();
}

} // namespace steadfast::apps
