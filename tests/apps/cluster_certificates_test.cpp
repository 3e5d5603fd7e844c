#include "apps/certificates/cluster_certificates.hpp"
#include "apps/terminal/failure.hpp"
#include "runtime/tls/certificate.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

using namespace steadfast;
using namespace steadfast::apps;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;
using x509 = std::shared_ptr<X509>;
using private_key = std::shared_ptr<EVP_PKEY>;

std::shared_ptr<FILE> opened(const fs::path& file, const char* mode) {
  auto* f = std::fopen(file.c_str(), mode);
  REQUIRE(f != nullptr);
  return {f, std::fclose};
}

x509 certificate_in(const fs::path& file) {
  x509 found{PEM_read_X509(opened(file, "r").get(), nullptr, nullptr, nullptr), X509_free};
  REQUIRE(found != nullptr);
  return found;
}

private_key key_in(const fs::path& file) {
  private_key found{PEM_read_PrivateKey(opened(file, "r").get(), nullptr, nullptr, nullptr), EVP_PKEY_free};
  REQUIRE(found != nullptr);
  return found;
}

/// What is wrong with the certificate for who trusts nothing but this authority; "ok" if nothing is.
std::string verdict_on(const fs::path& certificate, const fs::path& authority, int purpose) {
  const auto trusted = certificate_in(authority);
  const auto read = certificate_in(certificate);
  const std::shared_ptr<X509_STORE> store{X509_STORE_new(), X509_STORE_free};
  const std::shared_ptr<X509_STORE_CTX> context{X509_STORE_CTX_new(), X509_STORE_CTX_free};
  REQUIRE(X509_STORE_add_cert(store.get(), trusted.get()) == 1);
  REQUIRE(X509_STORE_CTX_init(context.get(), store.get(), read.get(), nullptr) == 1);
  X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_X509_STRICT | X509_V_FLAG_CHECK_SS_SIGNATURE);
  REQUIRE(X509_STORE_CTX_set_purpose(context.get(), purpose) == 1);
  X509_verify_cert(context.get());
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
}

bool is_trusted(const fs::path& certificate, const fs::path& authority) {
  return verdict_on(certificate, authority, X509_PURPOSE_SSL_SERVER) == "ok"
         && verdict_on(certificate, authority, X509_PURPOSE_SSL_CLIENT) == "ok";
}

bool belongs_to(const fs::path& certificate, const fs::path& key) {
  return X509_check_private_key(certificate_in(certificate).get(), key_in(key).get()) == 1;
}

std::string common_name(const x509& c) {
  std::string text(65, '\0');
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(c.get()), NID_commonName, text.data(), 65);
  REQUIRE(size >= 0);
  text.resize(static_cast<std::size_t>(size));
  return text;
}

/// From now; negative: in the past.
long days_until(const ASN1_TIME* moment) {
  int days = 0;
  int seconds = 0;
  REQUIRE(ASN1_TIME_diff(&days, &seconds, nullptr, moment) == 1);
  return std::lround(days + seconds / 86'400.0);
}

std::string content_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

unsigned permissions_of(const fs::path& file) {
  struct stat s {};
  REQUIRE(lstat(file.c_str(), &s) == 0);
  return s.st_mode & 07777U;
}

/// Names in the folder, in their order.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Why the order is refused, with the exit code; empty: it is carried out.
std::string refusal_of(const certificate_order& order) {
  try {
    make_certificates(order);
    return "";
  } catch (const failure& f) {
    return std::to_string(f.code()) + " " + f.what();
  }
}

/// A folder with an authority and the nodes `a` and `b`.
struct made_cluster {
  made_cluster() { written = make_certificates({folder, {"a", "b"}}); }

  tests::temp_folder parent;
  fs::path folder = parent.path() / "certs";
  std::vector<fs::path> written;
};

/// Signs the authority's certificate again with another end.
void set_end_of_authority(const fs::path& folder, long seconds_from_now) {
  const auto c = certificate_in(folder / "authority.pem");
  REQUIRE(X509_gmtime_adj(X509_getm_notAfter(c.get()), seconds_from_now) != nullptr);
  REQUIRE(X509_sign(c.get(), key_in(folder / "authority.key").get(), EVP_sha256()) > 0);
  REQUIRE(PEM_write_X509(opened(folder / "authority.pem", "w").get(), c.get()) == 1);
}

/// The key under a password.
void encrypt(const fs::path& key) {
  const auto k = key_in(key);
  char password[] = "canary";
  REQUIRE(PEM_write_PKCS8PrivateKey(opened(key, "w").get(), k.get(), EVP_aes_256_cbc(), password, 6, nullptr, nullptr)
          == 1);
}

class umask_of_process {
public:
  explicit umask_of_process(mode_t mask) : before_{umask(mask)} {}
  ~umask_of_process() { umask(before_); }
  umask_of_process(const umask_of_process&) = delete;
  umask_of_process& operator=(const umask_of_process&) = delete;

private:
  mode_t before_;
};

/// Root may write everywhere: this process is nobody meanwhile.
class not_root {
public:
  not_root() : was_root_{geteuid() == 0} {
    if (was_root_)
      REQUIRE(seteuid(nobody) == 0);
  }
  ~not_root() {
    if (was_root_)
      CHECK(seteuid(0) == 0);
  }
  not_root(const not_root&) = delete;
  not_root& operator=(const not_root&) = delete;

private:
  static constexpr uid_t nobody = 65534;
  bool was_root_;
};

} // namespace

TEST_CASE("a node's certificate is trusted at both ends of a connection") {
  const made_cluster made;
  const std::string node = GENERATE("a", "b");
  CHECK(belongs_to(made.folder / (node + ".pem"), made.folder / (node + ".key")));
  CHECK(verdict_on(made.folder / (node + ".pem"), made.folder / "authority.pem", X509_PURPOSE_SSL_SERVER) == "ok");
  CHECK(verdict_on(made.folder / (node + ".pem"), made.folder / "authority.pem", X509_PURPOSE_SSL_CLIENT) == "ok");
}

TEST_CASE("the certificates of another authority are not trusted") {
  const made_cluster made;
  const made_cluster other;
  CHECK(is_trusted(other.folder / "a.pem", other.folder / "authority.pem"));
  CHECK(verdict_on(other.folder / "a.pem", made.folder / "authority.pem", X509_PURPOSE_SSL_SERVER) != "ok");
  CHECK(verdict_on(other.folder / "a.pem", made.folder / "authority.pem", X509_PURPOSE_SSL_CLIENT) != "ok");
  CHECK_FALSE(belongs_to(made.folder / "a.pem", other.folder / "a.key"));
}

TEST_CASE("a certificate is for its node only") {
  const made_cluster made;
  const auto a = certificate_in(made.folder / "a.pem");
  CHECK(common_name(a) == "a");
  CHECK(X509_check_host(a.get(), "a", 0, 0, nullptr) == 1);
  CHECK(X509_check_host(a.get(), "b", 0, 0, nullptr) == 0);
  CHECK_FALSE(belongs_to(made.folder / "a.pem", made.folder / "b.key"));
}

TEST_CASE("the authority signs certificates and nothing else, a node signs none") {
  const made_cluster made;
  const auto authority = certificate_in(made.folder / "authority.pem");
  CHECK(common_name(authority) == "Steadfast authority");
  CHECK(X509_check_ca(authority.get()) == 1);
  CHECK(X509_get_pathlen(authority.get()) == 0);
  CHECK(X509_get_key_usage(authority.get()) == (KU_KEY_CERT_SIGN | KU_CRL_SIGN));
  const auto node = certificate_in(made.folder / "a.pem");
  CHECK(X509_check_ca(node.get()) == 0);
  CHECK(X509_get_key_usage(node.get()) == KU_DIGITAL_SIGNATURE);
  CHECK(X509_get_extended_key_usage(node.get()) == (XKU_SSL_SERVER | XKU_SSL_CLIENT));
}

TEST_CASE("keys are of the curve P-256, serial numbers are random") {
  const made_cluster made;
  std::vector<std::string> serial_numbers;
  for (const std::string name : {"authority", "a", "b"}) {
    char curve[32] = "";
    CHECK(EVP_PKEY_get_group_name(key_in(made.folder / (name + ".key")).get(), curve, sizeof curve, nullptr) == 1);
    CHECK(std::string{curve} == "prime256v1");
    const auto c = certificate_in(made.folder / (name + ".pem"));
    const std::shared_ptr<BIGNUM> number{ASN1_INTEGER_to_BN(X509_get0_serialNumber(c.get()), nullptr), BN_free};
    CHECK(BN_num_bits(number.get()) == 128);
    CHECK_FALSE(BN_is_negative(number.get()));
    const std::shared_ptr<char> text{BN_bn2hex(number.get()), [](char* t) { OPENSSL_free(t); }};
    serial_numbers.emplace_back(text.get());
  }
  std::sort(serial_numbers.begin(), serial_numbers.end());
  CHECK(std::unique(serial_numbers.begin(), serial_numbers.end()) == serial_numbers.end());
}

TEST_CASE("a certificate is good from yesterday on, for as many days as were ordered") {
  const tests::temp_folder folder;
  make_certificates({folder.path(), {"a"}});
  make_certificates({folder.path(), {"short"}, 1});
  make_certificates({folder.path(), {"long"}, 3652});
  const auto days = [&](const char* name) {
    const auto c = certificate_in(folder.path() / name);
    CHECK(days_until(X509_get0_notBefore(c.get())) == -1);
    return days_until(X509_get0_notAfter(c.get()));
  };
  CHECK(days("authority.pem") == 3652);
  CHECK(days("a.pem") == 825);
  CHECK(days("short.pem") == 1);
  CHECK(days("long.pem") == 3652);
}

TEST_CASE("a certificate ends no later than its authority's") {
  const made_cluster made;
  set_end_of_authority(made.folder, 10 * 86'400L);
  make_certificates({made.folder, {"c"}});
  CHECK(days_until(X509_get0_notAfter(certificate_in(made.folder / "c.pem").get())) == 10);
  CHECK(is_trusted(made.folder / "c.pem", made.folder / "authority.pem"));
}

TEST_CASE("a node is added later, and what was there stays as it was") {
  const made_cluster made;
  std::vector<std::string> before;
  for (const auto& file : made.written)
    before.push_back(content_of(file));
  CHECK(make_certificates({made.folder, {"a", "c", "b", "c"}})
        == std::vector<fs::path>{made.folder / "c.key", made.folder / "c.pem"});
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(content_of(made.written[i]) == before[i]);
  CHECK(is_trusted(made.folder / "c.pem", made.folder / "authority.pem"));
  CHECK(is_trusted(made.folder / "a.pem", made.folder / "authority.pem"));
}

TEST_CASE("the files are told in the order of their making, and there are no others") {
  const made_cluster made;
  const auto& f = made.folder;
  CHECK(made.written
        == std::vector<fs::path>{f / "authority.key", f / "authority.pem", f / "a.key", f / "a.pem", f / "b.key",
                                 f / "b.pem"});
  CHECK(names_in(f) == std::vector<std::string>{"a.key", "a.pem", "authority.key", "authority.pem", "b.key", "b.pem"});
  CHECK(make_certificates({f, {"a", "b"}}).empty());
}

TEST_CASE("only their owner reads the keys, whatever the umask") {
  const umask_of_process mask{GENERATE(as<mode_t>{}, 0, 022, 077)};
  const made_cluster made;
  CHECK(permissions_of(made.folder) == 0700);
  for (const auto& file : made.written)
    CHECK(permissions_of(file) == (file.extension() == ".key" ? 0600 : 0644));
}

TEST_CASE("the mode of a folder that was there stays") {
  const tests::temp_folder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0750});
  make_certificates({folder.path(), {}});
  CHECK(permissions_of(folder.path()) == 0750);
  CHECK(names_in(folder.path()) == std::vector<std::string>{"authority.key", "authority.pem"});
}

TEST_CASE("what cannot name a node is refused, and nothing is made") {
  const tests::temp_folder parent;
  const std::string name = GENERATE(as<std::string>{}, "", ".", "..", "../a", "a/b", "/a", "a.b", "a b", "a,DNS:b",
                                    "a\n", "authority", std::string(65, 'a'));
  CHECK_THAT(refusal_of({parent.path() / "certs", {"good", name}}),
             Contains("64 `") && Contains("cannot name a node: give 1 to 64 of the characters"));
  CHECK(names_in(parent.path()).empty());
}

TEST_CASE("the longest name is good") {
  const tests::temp_folder folder;
  const std::string name(64, 'x');
  make_certificates({folder.path(), {name}});
  CHECK(is_trusted(folder.path() / (name + ".pem"), folder.path() / "authority.pem"));
}

TEST_CASE("a validity of no day or of more than ten years is refused, and nothing is made") {
  const tests::temp_folder parent;
  const auto days = GENERATE(as<std::uint32_t>{}, 0, 3653, 4'294'967'295);
  CHECK_THAT(refusal_of({parent.path() / "certs", {"a"}, days}),
             Contains("64 ") && Contains(" " + std::to_string(days) + " days: give 1 to 3652"));
  CHECK(names_in(parent.path()).empty());
}

TEST_CASE("a folder that cannot be made or written to is refused") {
  CHECK_THAT(refusal_of({"", {}}), Contains("64 ") && Contains("name one"));
  const tests::temp_folder parent;
  parent.write("file", "");
  CHECK_THAT(refusal_of({parent.path() / "file", {}}), Contains("73 ") && Contains("authority.key cannot be written"));
  CHECK_THAT(refusal_of({parent.path() / "file/certs", {}}),
             Contains("73 ") && Contains("file/certs cannot be written: Not a directory"));
  CHECK_THAT(refusal_of({parent.path() / "none/certs", {}}), Contains("make the folder above it first"));
  CHECK(names_in(parent.path()) == std::vector<std::string>{"file"});
}

TEST_CASE("a folder where this user may not write is refused") {
  const tests::temp_folder parent;
  std::filesystem::permissions(parent.path(), std::filesystem::perms{0555});
  {
    const not_root user;
    CHECK_THAT(refusal_of({parent.path() / "certs", {}}), Contains("Permission denied; may this user write there"));
    CHECK_THAT(refusal_of({parent.path(), {}}), Contains("Permission denied; may this user write there"));
  }
  std::filesystem::permissions(parent.path(), std::filesystem::perms{0700});
}

TEST_CASE("an authority without its key signs nothing") {
  const made_cluster made;
  std::filesystem::remove(made.folder / "authority.key");
  CHECK_THAT(refusal_of({made.folder, {"c"}}),
             Contains("66 ") && Contains("authority.pem exists without its key") && Contains("put the key back"));
  CHECK(names_in(made.folder) == std::vector<std::string>{"a.key", "a.pem", "authority.pem", "b.key", "b.pem"});
}

TEST_CASE("a node's certificate without its key is refused until it is removed") {
  const made_cluster made;
  std::filesystem::remove(made.folder / "a.key");
  CHECK_THAT(refusal_of({made.folder, {"a"}}),
             Contains("66 ") && Contains("a.pem exists without its key") && Contains("remove the certificate"));
  std::filesystem::remove(made.folder / "a.pem");
  CHECK(make_certificates({made.folder, {"a"}}).size() == 2);
  CHECK(is_trusted(made.folder / "a.pem", made.folder / "authority.pem"));
}

TEST_CASE("a key that cannot be used is named") {
  const made_cluster made;
  const auto authority_key = content_of(made.folder / "authority.key");
  const std::string content =
    GENERATE("", "junk", "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END PRIVATE KEY-----\n",
             "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n");
  std::ofstream{made.folder / "authority.key"} << content;
  CHECK_THAT(refusal_of({made.folder, {"c"}}),
             Contains("65 ") && Contains("authority.key is not a private key without password in PEM format")
               && Contains("put the right file in its place"));
  std::ofstream{made.folder / "authority.key"} << authority_key;
  std::ofstream{made.folder / "c.key"} << content;
  CHECK_THAT(refusal_of({made.folder, {"c"}}), Contains("65 ") && Contains("c.key is not a private key"));
  CHECK_FALSE(exists(made.folder / "c.pem"));
}

TEST_CASE("a key under a password is refused, and nobody is asked for it") {
  const made_cluster made;
  encrypt(made.folder / "authority.key");
  CHECK_THAT(refusal_of({made.folder, {"c"}}), Contains("65 ") && Contains("private key without password"));
}

TEST_CASE("a certificate that is not the authority's is named") {
  const made_cluster made;
  const made_cluster other;
  const auto copy = [&](const fs::path& from, const char* to) {
    std::filesystem::copy_file(from, made.folder / to, std::filesystem::copy_options::overwrite_existing);
  };
  copy(other.folder / "authority.pem", "authority.pem");
  CHECK_THAT(refusal_of({made.folder, {"c"}}), Contains("65 ")
                                                 && Contains("authority.pem does not belong to authority.key")
                                                 && Contains("the right one"));
  copy(made.folder / "a.pem", "authority.pem");
  copy(made.folder / "a.key", "authority.key");
  CHECK_THAT(refusal_of({made.folder, {"c"}}), Contains("65 ") && Contains("not the certificate of an authority"));
  std::ofstream{made.folder / "authority.pem"} << "junk";
  CHECK_THAT(refusal_of({made.folder, {"c"}}), Contains("65 ") && Contains("is not a certificate in PEM format"));
  CHECK_FALSE(exists(made.folder / "c.key"));
}

TEST_CASE("an authority that has expired signs nothing") {
  const made_cluster made;
  set_end_of_authority(made.folder, -60);
  CHECK_THAT(refusal_of({made.folder, {"c"}}),
             Contains("65 ") && Contains("authority.pem has expired") && Contains("in another folder"));
  CHECK_FALSE(exists(made.folder / "c.key"));
}

TEST_CASE("what a crash left out is made by the next call") {
  const made_cluster made;
  const auto missing = GENERATE(std::vector<std::string>{"a.pem"}, std::vector<std::string>{"authority.pem", "b.pem"});
  for (const auto& name : missing)
    std::filesystem::remove(made.folder / name);
  const auto keys = content_of(made.folder / "authority.key") + content_of(made.folder / "a.key");
  CHECK(make_certificates({made.folder, {"a", "b"}}).size() == missing.size());
  CHECK(content_of(made.folder / "authority.key") + content_of(made.folder / "a.key") == keys);
  for (const std::string node : {"a", "b"}) {
    CHECK(is_trusted(made.folder / (node + ".pem"), made.folder / "authority.pem"));
    CHECK(belongs_to(made.folder / (node + ".pem"), made.folder / (node + ".key")));
  }
}

TEST_CASE("a link to nowhere is not followed") {
  const tests::temp_folder folder;
  std::filesystem::create_symlink(folder.path() / "elsewhere", folder.path() / "authority.key");
  CHECK_THAT(refusal_of({folder.path(), {"a"}}), Contains("73 ") && Contains("it is a link to nowhere"));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"authority.key"});
}

TEST_CASE("those who make the same certificates at once end with one authority") {
  const tests::temp_folder parent;
  const certificate_order order{parent.path() / "certs", {"a", "b"}};
  std::atomic<int> others{0};
  {
    std::vector<std::jthread> makers;
    makers.reserve(4);
    while (makers.size() < 4)
      makers.emplace_back([&] {
        try {
          make_certificates(order);
        } catch (const failure& f) {
          others += std::string{f.what()}.find("another process has just made it") == std::string::npos ? 1 : 0;
        }
      });
  }
  CHECK(others == 0);
  make_certificates(order);
  CHECK(names_in(order.folder).size() == 6);
  for (const auto& node : order.nodes) {
    CHECK(is_trusted(order.folder / (node + ".pem"), order.folder / "authority.pem"));
    CHECK(belongs_to(order.folder / (node + ".pem"), order.folder / (node + ".key")));
  }
}

namespace {

std::optional<workflow::peer_kind> kind_in(const fs::path& file) {
  const auto facts = runtime::facts_in(file);
  REQUIRE(facts);
  return facts->vouches.highest;
}

} // namespace

TEST_CASE("a certificate says whether its holder may have the store, be a node, or is a client only") {
  using workflow::peer_kind;
  const tests::temp_folder folder;
  make_certificates({folder.path(), {"b"}, 825, {"a"}, {"desk"}});
  CHECK(kind_in(folder.path() / "a.pem") == peer_kind::store);
  CHECK(kind_in(folder.path() / "b.pem") == peer_kind::node);
  CHECK(kind_in(folder.path() / "desk.pem") == peer_kind::client);
  CHECK(X509_get_extended_key_usage(certificate_in(folder.path() / "desk.pem").get()) == XKU_SSL_CLIENT);
  CHECK_THAT(refusal_of({folder.path(), {}, 825, {"b"}}),
             Contains("65 ") && Contains("is one of a node, and one of a store"));
  CHECK_THAT(refusal_of({folder.path(), {"x"}, 825, {}, {"x"}}), Contains("64 ") && Contains("a node and a client"));
  CHECK_THAT(refusal_of({folder.path(), {}, 825, {"x"}, {"x"}}), Contains("64 ") && Contains("have the store and be"));
}

TEST_CASE("a renewed certificate is for the same name, kind and key, and ends later") {
  const tests::temp_folder folder;
  make_certificates({folder.path(), {"b", "c"}, 10, {"a"}, {"desk"}});
  const auto key = content_of(folder.path() / "b.key");
  const auto of_c = content_of(folder.path() / "c.pem");
  CHECK(renew_certificates({folder.path(), {"a", "b"}, 100})
        == std::vector<fs::path>{folder.path() / "a.pem", folder.path() / "b.pem"});
  CHECK(content_of(folder.path() / "b.key") == key);
  CHECK(content_of(folder.path() / "c.pem") == of_c);
  CHECK(belongs_to(folder.path() / "b.pem", folder.path() / "b.key"));
  CHECK(is_trusted(folder.path() / "b.pem", folder.path() / "authority.pem"));
  CHECK(kind_in(folder.path() / "a.pem") == workflow::peer_kind::store);
  CHECK(days_until(X509_get0_notAfter(certificate_in(folder.path() / "b.pem").get())) == 100);
  CHECK(renew_certificates({folder.path(), {}, 100}).size() == 4);
}

TEST_CASE("a node's certificate is for the hosts by which it is asked over HTTP, also when it is renewed") {
  const tests::temp_folder folder;
  make_certificates({folder.path(), {"b"}, 10, {}, {"desk"}, {"b.example", "10.0.0.4", "::1"}});
  const auto has = [](const x509& c, const char* host, const char* address) {
    return X509_check_host(c.get(), host, 0, 0, nullptr) == 1 && X509_check_ip_asc(c.get(), address, 0) == 1;
  };
  const auto of_b = [&] { return certificate_in(folder.path() / "b.pem"); };
  CHECK(has(of_b(), "b.example", "10.0.0.4"));
  CHECK(has(of_b(), "b", "::1"));
  CHECK_FALSE(has(of_b(), "c.example", "10.0.0.4"));
  CHECK_FALSE(has(of_b(), "b.example", "10.0.0.5"));
  CHECK_FALSE(has(certificate_in(folder.path() / "desk.pem"), "b.example", "10.0.0.4"));
  CHECK(runtime::facts_in(folder.path() / "b.pem")->vouches.name == "b");
  renew_certificates({folder.path(), {"b"}, 100});
  CHECK(has(of_b(), "b.example", "10.0.0.4"));
  CHECK_THAT(refusal_of({folder.path(), {"b"}, 10, {}, {}, {"c.example"}}),
             Contains("65 ") && Contains("not for DNS:c"));
  CHECK_THAT(refusal_of({folder.path(), {"d"}, 10, {}, {}, {"d,URI:x"}}), Contains("64 ") && Contains("is no host"));
}

TEST_CASE("what is not there is not renewed, nor where the authority's key is not") {
  const tests::temp_folder folder;
  make_certificates({folder.path(), {"b"}});
  const auto refused = [&](const std::string& name) -> std::string {
    try {
      renew_certificates({folder.path(), {name}});
      return "";
    } catch (const failure& f) {
      return f.what();
    }
  };
  CHECK_THAT(refused("c"), Contains("c.pem is not there: make it first"));
  std::filesystem::remove(folder.path() / "authority.key");
  CHECK_THAT(refused("b"), Contains("authority.key is not there: certificates are renewed where they were made"));
}
