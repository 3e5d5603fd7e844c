#include "runtime/tls/certificate.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <utility>

namespace steadfast::runtime {

namespace {

using std::chrono::system_clock;

system_clock::time_point time_of(const ASN1_TIME* moment) {
  std::tm t{};
  return ASN1_TIME_to_tm(moment, &t) == 1 ? system_clock::from_time_t(timegm(&t)) : system_clock::time_point{};
}

std::string common_name_of(X509* certificate) {
  std::array<char, 65> text{}; // as many as a common name may have
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text.data(),
                                             static_cast<int>(text.size()));
  return size > 0 ? std::string{text.data(), static_cast<std::size_t>(size)} : std::string{};
}

std::string_view bytes_of(const ASN1_STRING* s) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(s)), static_cast<std::size_t>(ASN1_STRING_length(s))};
}

std::optional<workflow::peer_kind> peer_kind_of(const GENERAL_NAME& name) {
  if (name.type != GEN_URI)
    return std::nullopt;
  const auto uri = bytes_of(name.d.uniformResourceIdentifier);
  return uri.starts_with(kind_uri) ? workflow::parse_peer_kind(uri.substr(kind_uri.size())) : std::nullopt;
}

/// Empty: it is something else.
std::string host_of(const GENERAL_NAME& name) {
  if (name.type == GEN_DNS)
    return "DNS:" + std::string{bytes_of(name.d.dNSName)};
  const auto address = name.type == GEN_IPADD ? bytes_of(name.d.iPAddress) : std::string_view{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  const auto family = address.size() == 4 ? AF_INET : AF_INET6;
  const bool is_address = address.size() == 4 || address.size() == 16;
  return is_address && inet_ntop(family, address.data(), text.data(), text.size()) != nullptr
           ? std::string{"IP:"} + text.data()
           : std::string{};
}

void read_other_names(X509* certificate, certificate_facts& into) {
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names{
    static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
    GENERAL_NAMES_free};
  auto& highest = into.vouches.highest;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const auto& name = *sk_GENERAL_NAME_value(names.get(), i);
    if (const auto kind = peer_kind_of(name); kind && (!highest || *highest < *kind))
      highest = kind;
    if (auto host = host_of(name); !host.empty() && host != "DNS:" + into.vouches.name)
      into.hosts.push_back(std::move(host));
  }
}

} // namespace

certificate_facts facts_of(X509* certificate) {
  certificate_facts f{{common_name_of(certificate), {}},
                      time_of(X509_get0_notBefore(certificate)),
                      time_of(X509_get0_notAfter(certificate))};
  read_other_names(certificate, f);
  return f;
}

std::optional<certificate_facts> facts_in(const std::filesystem::path& file) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> in{BIO_new_file(file.c_str(), "r"), BIO_free};
  const std::unique_ptr<X509, decltype(&X509_free)> found{
    in ? PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr) : nullptr, X509_free};
  ERR_clear_error();
  return found ? std::optional{facts_of(found.get())} : std::nullopt;
}

std::string day_text(system_clock::time_point t) {
  const auto seconds = system_clock::to_time_t(t);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

std::string why_untimely(const certificate_facts& f, system_clock::time_point now) {
  if (f.not_after <= now)
    return "ended on " + day_text(f.not_after);
  return f.not_before > now ? "is not valid before " + day_text(f.not_before) + " (is this host's clock right?)"
                            : std::string{};
}

std::string why_renew(const certificate_facts& f, system_clock::time_point now) {
  if (f.not_after - now > warned_before)
    return {};
  const auto text = "the certificate of `" + f.vouches.name + "` ";
  const auto cure = ": `steadfast cluster certs renew`, then send the node SIGHUP";
  if (f.not_after <= now)
    return text + "ended on " + day_text(f.not_after) + cure;
  const auto days = std::chrono::ceil<std::chrono::days>(f.not_after - now).count();
  return text + "ends on " + day_text(f.not_after) + ", within " + std::to_string(days) + (days == 1 ? " day" : " days")
         + cure;
}

} // namespace steadfast::runtime
