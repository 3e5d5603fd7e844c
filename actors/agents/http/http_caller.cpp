#include "actors/agents/http/http_caller.hpp"

#include "actors/agents/call_threads.hpp"
#include "actors/agents/http/http_reply.hpp"
#include "actors/agents/masking.hpp"
#include "workflow/time/time_text.hpp"

#include <curl/curl.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace steadfast::actors {

namespace {

constexpr std::size_t headers_max = 64 << 10; ///< bytes of headers in an answer
constexpr int wake_every_ms = 1000; ///< the thread is woken when there is something to do; this is only a backstop

class header_list {
public:
  header_list() = default;
  header_list(const header_list&) = delete;
  header_list& operator=(const header_list&) = delete;
  ~header_list() { curl_slist_free_all(first_); }

  curl_slist* first() const { return first_; }

  /// As it is, except for control characters, which could end the header: they are sent as %XX. Neither ids nor
  /// configured values have any.
  void add(std::string_view name, std::string_view value) {
    line_.assign(name).append(": ");
    for (const char c : value)
      if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7F)
        line_ += escaped(c);
      else
        line_ += c;
    if (first_ == nullptr)
      first_ = last_ = curl_slist_append(nullptr, line_.c_str());
    else
      last_ = curl_slist_append(last_, line_.c_str())->next; // which looks for the end from there
  }

private:
  static std::string escaped(char c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    return {'%', digits[byte / 16], digits[byte % 16]};
  }

  curl_slist* first_ = nullptr;
  curl_slist* last_ = nullptr;
  std::string line_;
};

bool same_header(const std::string& a, const std::string& b) {
  return strcasecmp(a.c_str(), b.c_str()) == 0;
}

/// One call on its way.
struct transfer {
  call_ticket ticket = 0;
  call what;
  header_list headers;
  http_reply reply;
  std::uint64_t body_max = 0;
  std::size_t headers_size = 0;
  int requests = 0; ///< that libcurl began to send, or wanted to
  bool too_large = false;
  bool refused_address = false;
  bool allow_link_local = false;
  CURL* handle = nullptr;
};

const char* action_name(workflow::attempt_action a) {
  switch (a) {
    case workflow::attempt_action::probe: return "probe";
    case workflow::attempt_action::compensate: return "undo";
    default: return "do";
  }
}

void add_about_step(const call& c, const add_header& add) {
  add("Idempotency-Key", c.key);
  if (!c.reverses.empty())
    add("Steadfast-Reverses", c.reverses);
  add("Steadfast-Task", c.task_id);
  add("Steadfast-Step", c.step);
  add("Steadfast-Action", action_name(c.action));
  add("Steadfast-Attempt", std::to_string(c.attempt));
  add("Steadfast-Try", std::to_string(c.try_number));
  add("Steadfast-Epoch", std::to_string(c.epoch));
  add("Steadfast-Complete-By", workflow::utc_text(c.complete_by));
  if (!c.token.empty())
    add("Steadfast-Token", c.token);
  add("Steadfast-Time-Left", std::to_string(std::max<std::int64_t>((c.complete_by - c.began_at).count(), 0)));
  if (!c.trace.empty())
    add("traceparent", c.trace);
}

bool is_metadata(std::uint32_t ip) {
  return (ip >> 16) == 0xA9FE // 169.254.0.0/16, link-local (RFC 3927)
         || ip == 0x646464C8; // 100.100.100.200, Alibaba Cloud
}

bool is_metadata(const in6_addr& ip) {
  constexpr std::array<unsigned char, 12> nat64{0, 0x64, 0xFF, 0x9B}; // 64:ff9b::/96 (RFC 6052)
  constexpr std::array<unsigned char, 16> aws{0xFD, 0, 0x0E, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54};
  const auto* bytes = ip.s6_addr;
  if (bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80) // fe80::/10
    return true;
  if (std::equal(aws.begin(), aws.end(), bytes)) // fd00:ec2::254
    return true;
  if (!IN6_IS_ADDR_V4MAPPED(&ip) && !IN6_IS_ADDR_V4COMPAT(&ip) && !std::equal(nat64.begin(), nat64.end(), bytes))
    return false;
  std::uint32_t inner = 0;
  std::memcpy(&inner, bytes + 12, sizeof inner);
  return is_metadata(ntohl(inner));
}

/// Where clouds answer with a machine's credentials, in each form in which the address can be written.
bool is_metadata(const sockaddr& address) {
  if (address.sa_family == AF_INET)
    return is_metadata(ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr));
  return address.sa_family == AF_INET6 && is_metadata(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

/// Called with the resolved address, so that no resolver can get around the check.
curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* a) {
  auto& t = *static_cast<transfer*>(user);
  if (!t.allow_link_local && is_metadata(a->addr)) {
    t.refused_address = true;
    return CURL_SOCKET_BAD;
  }
  return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/// Called before a request is sent. libcurl repeats a request by itself when a kept connection is lost before an
/// answer. The answer to the second would then pass for one to the first, on which the service may still be working.
/// Only the agent makes another try.
int begin_request(void* user, char*, char*, int, int) {
  auto& t = *static_cast<transfer*>(user);
  return ++t.requests == 1 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

std::size_t take_body(char* data, std::size_t, std::size_t size, void* user) {
  auto& t = *static_cast<transfer*>(user);
  if (t.reply.body.size() + size > t.body_max) {
    t.too_large = true;
    return 0;
  }
  t.reply.body.append(data, size);
  return size;
}

/// The value of the header, if it is the one of that name, which ends in a colon.
void take_value(std::string_view line, std::string_view name, std::string& into) {
  if (line.size() <= name.size() || strncasecmp(line.data(), name.data(), name.size()) != 0)
    return;
  line.remove_prefix(name.size());
  const auto first = line.find_first_not_of(" \t\r\n");
  const auto last = line.find_last_not_of(" \t\r\n");
  if (first != std::string_view::npos)
    into = std::string{line.substr(first, last - first + 1)};
}

std::size_t take_header(char* data, std::size_t, std::size_t size, void* user) {
  auto& t = *static_cast<transfer*>(user);
  t.headers_size += size;
  if (t.headers_size > headers_max)
    return 0;
  take_value({data, size}, "retry-after:", t.reply.retry_after);
  take_value({data, size}, "steadfast-happened:", t.reply.happened);
  return size;
}

/// Nothing can have reached the service: there was no connection, or no trust in it, or no byte of a request was sent.
/// libcurl's errors do not show this: an answer that is not HTTP has the same error as a URL of another protocol.
bool never_sent(const transfer& t) {
  long sent = 0;
  return t.requests == 0 || (curl_easy_getinfo(t.handle, CURLINFO_REQUEST_SIZE, &sent) == CURLE_OK && sent == 0);
}

std::string words_of(const transfer& t, CURLcode code) {
  if (t.requests > 1)
    return "the connection was lost before an answer";
  if (code == CURLE_UNSUPPORTED_PROTOCOL)
    return "the answer is not HTTP";
  return curl_easy_strerror(code);
}

answer answer_of(const transfer& t, CURLcode code, const http_options& o) {
  if (t.refused_address)
    return failed_for_good(
      "the address of " + origin_of(o.url)
      + " is link-local or another where clouds keep credentials; set allow_link_local if it is meant");
  if (t.too_large)
    return failed_for_good("the answer has more than " + std::to_string(t.body_max)
                             + " bytes (result_size_max); the service may have acted",
                           true);
  if (code != CURLE_OK)
    return failed_for_now(words_of(t, code) + " (" + origin_of(o.url) + ")", !never_sent(t));
  return answer_of(t.reply, o, t.what.action, t.what.began_at, !t.what.token.empty());
}

/// A service may repeat its request, so the query of its URL is not shown either.
http_options with_secret_query(http_options o) {
  if (const auto query = o.url.find('?'); query != std::string::npos)
    o.secrets.push_back(o.url.substr(query + 1));
  return o;
}

class http_caller : public caller {
public:
  http_caller(http_options o, std::uint64_t body_max, call_over over, call_headers headers)
      : options_{with_secret_query(std::move(o))},
        body_max_{body_max},
        over_{std::move(over)},
        headers_{headers ? std::move(headers) : add_about_step},
        multi_{curl_multi_init()},
        thread_{[this] { serve(); }} {}

  ~http_caller() override {
    {
      std::lock_guard lock{mutex_};
      closed_ = true;
    }
    curl_multi_wakeup(multi_);
    thread_.join();
    for (auto& [ticket, t] : open_)
      drop(*t);
    curl_multi_cleanup(multi_);
  }

  const char* kind() const override { return "http"; }
  std::string service() const override { return origin_of(options_.url); }

  std::optional<answer> start(call_ticket ticket, call what) override {
    std::lock_guard lock{mutex_};
    started_.emplace_back(ticket, std::move(what));
    wake();
    return std::nullopt;
  }

  void stop(call_ticket ticket) override {
    std::lock_guard lock{mutex_};
    stopped_.push_back(ticket);
    wake();
  }

private:
  using started = std::deque<std::pair<call_ticket, call>>;

  /// REQUIRES: the lock is held.
  void wake() {
    if (std::exchange(sleeps_, false))
      curl_multi_wakeup(multi_);
  }

  void serve() {
    block_signals();
    for (;;) {
      started begun;
      std::deque<call_ticket> stopped;
      bool has_nothing_new = false;
      {
        std::lock_guard lock{mutex_};
        if (closed_)
          return;
        begun.swap(started_);
        stopped.swap(stopped_);
        has_nothing_new = begun.empty() && stopped.empty();
        sleeps_ = has_nothing_new;
      }
      for (auto& [ticket, what] : begun)
        begin(ticket, std::move(what));
      for (const auto ticket : stopped)
        end_early(ticket);
      if (has_nothing_new)
        curl_multi_poll(multi_, nullptr, 0, wake_every_ms, nullptr);
      int running = 0;
      curl_multi_perform(multi_, &running);
      take_finished();
    }
  }

  void begin(call_ticket ticket, call what) {
    // Not a handle that was used before: libcurl before 8.1.1, so also Debian 12's, reads the last header of its answer
    // before, which it has freed, when the first header of the next one begins with a space (curl's issue 11101).
    auto t = std::make_unique<transfer>();
    t->ticket = ticket;
    t->what = std::move(what);
    t->body_max = body_max_;
    t->allow_link_local = options_.allow_link_local;
    t->handle = curl_easy_init();
    set_headers(*t);
    set_options(*t);
    curl_multi_add_handle(multi_, t->handle);
    open_[ticket] = std::move(t);
  }

  void set_headers(transfer& t) const {
    auto& h = t.headers;
    for (const auto& [name, value] : options_.headers)
      h.add(name, value);
    const auto& given = options_.headers;
    if (std::none_of(given.begin(), given.end(), [](const auto& g) { return same_header(g.first, "Content-Type"); }))
      h.add("Content-Type", "application/json");
    headers_(t.what, [&h](std::string_view name, std::string_view value) { h.add(name, value); });
    h.add("Expect", ""); // no 100-continue: it costs a round trip
  }

  template <class Value>
  static void set(transfer& t, CURLoption option, Value value) {
    curl_easy_setopt(t.handle, option, value);
  }

  void set_options(transfer& t) {
    set(t, CURLOPT_PRIVATE, &t);
    set(t, CURLOPT_URL, options_.url.c_str());
    set(t, CURLOPT_CUSTOMREQUEST, options_.method.c_str());
    set(t, CURLOPT_POSTFIELDS, t.what.input.data());
    set(t, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(t.what.input.size()));
    set(t, CURLOPT_HTTPHEADER, t.headers.first());
    set(t, CURLOPT_NOSIGNAL, 1L);
    set(t, CURLOPT_FOLLOWLOCATION, 0L);
    set(t, CURLOPT_PROTOCOLS_STR, "http,https");
    set(t, CURLOPT_PROXY, options_.proxy.c_str());
    set(t, CURLOPT_NOPROXY, "");
    set(t, CURLOPT_QUICK_EXIT, 1L); // resolving a name does not delay the end of the process
    set(t, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_limit.count()));
    set(t, CURLOPT_TCP_NODELAY, 1L);
    set(t, CURLOPT_SSL_VERIFYPEER, 1L);
    set(t, CURLOPT_SSL_VERIFYHOST, 2L);
    if (!options_.ca_file.empty())
      set(t, CURLOPT_CAINFO, options_.ca_file.c_str());
    curl_easy_setopt(t.handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    set(t, CURLOPT_OPENSOCKETDATA, &t);
    curl_easy_setopt(t.handle, CURLOPT_PREREQFUNCTION, begin_request);
    set(t, CURLOPT_PREREQDATA, &t);
    curl_easy_setopt(t.handle, CURLOPT_WRITEFUNCTION, take_body);
    set(t, CURLOPT_WRITEDATA, &t);
    curl_easy_setopt(t.handle, CURLOPT_HEADERFUNCTION, take_header);
    set(t, CURLOPT_HEADERDATA, &t);
  }

  void take_finished() {
    int left = 0;
    while (const auto* m = curl_multi_info_read(multi_, &left)) {
      if (m->msg != CURLMSG_DONE)
        continue;
      const auto code = m->data.result;
      transfer* t = nullptr;
      curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t);
      curl_easy_getinfo(m->easy_handle, CURLINFO_RESPONSE_CODE, &t->reply.status);
      finish(t->ticket, answer_of(*t, code, options_));
    }
  }

  /// Closes the call's connection; nobody knows whether the service acts nevertheless.
  void end_early(call_ticket ticket) {
    finish(ticket, {report_kind::stopped, {}, "stopped", true, workflow::span{0}, true});
  }

  void finish(call_ticket ticket, answer a) {
    const auto found = open_.find(ticket);
    if (found == open_.end())
      return;
    drop(*found->second);
    open_.erase(found);
    over_(ticket, std::move(a));
  }

  void drop(transfer& t) {
    curl_multi_remove_handle(multi_, t.handle);
    curl_easy_cleanup(t.handle);
  }

  const http_options options_;
  const std::uint64_t body_max_;
  const call_over over_;
  const call_headers headers_;
  CURLM* multi_;
  std::map<call_ticket, std::unique_ptr<transfer>> open_; ///< the thread's own
  std::mutex mutex_;
  started started_;
  std::deque<call_ticket> stopped_;
  bool sleeps_ = false; ///< the thread waits, or is about to, and has to be woken
  bool closed_ = false;
  std::thread thread_; ///< last: it uses the rest
};

} // namespace

std::unique_ptr<caller> make_http_caller(http_options o, std::uint64_t result_size_max, call_over over,
                                         call_headers headers) {
  static const auto initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(initialised);
  return std::make_unique<http_caller>(std::move(o), result_size_max, std::move(over), std::move(headers));
}

} // namespace steadfast::actors
