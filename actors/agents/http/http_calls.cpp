#include "actors/agents/http/http_calls.hpp"

#include "actors/agents/http/connection/address_rules.hpp"
#include "actors/agents/masking.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace steadfast::actors {

namespace {

constexpr std::chrono::hours context_limit{1}; ///< then the authorities are read again

/// A service may repeat its request, so the query of its URL is not shown either.
http_options with_secret_query(http_options o) {
  if (const auto query = o.url.find('?'); query != std::string::npos)
    o.secrets.push_back(o.url.substr(query + 1));
  return o;
}

web_url read_proxy(const std::string& text) {
  if (text.empty())
    return {};
  auto read = read_url(text);
  if (!read.has_port && !read.is_tls())
    read.port = 1080;
  return read;
}

std::string authorization_of(const web_url& proxy) {
  return proxy.has_user ? basic_authorization(proxy.user, proxy.password) : std::string{};
}

} // namespace

http_calls::http_calls(boost::asio::io_context& io, http_options o, std::uint64_t body_max, call_over over,
                       call_headers headers, keeping keeps)
    : io_{io},
      options_{with_secret_query(std::move(o))},
      body_max_{body_max},
      over_{std::move(over)},
      keeps_{keeps},
      to_{read_url(options_.url)},
      proxy_{read_proxy(options_.proxy)},
      is_tunnelled_{!proxy_.host.empty() && (to_.is_tls() || !proxy_.scheme.starts_with("http"))},
      text_{options_, to_, std::move(headers), !proxy_.host.empty() && !is_tunnelled_,
            is_tunnelled_ ? std::string{} : authorization_of(proxy_)},
      lookup_{std::make_shared<name_lookup>(io, proxy_.host.empty() ? to_.host : proxy_.host)},
      sweeping_{io},
      context_age_{io} {}

http_calls::~http_calls() {
  close_all();
}

// ---- handed over ----

void http_calls::start(call_ticket ticket, call what) {
  const std::lock_guard lock{mutex_};
  started_.emplace_back(ticket, std::move(what));
  hand_over();
}

void http_calls::stop(call_ticket ticket) {
  const std::lock_guard lock{mutex_};
  stopped_.push_back(ticket);
  hand_over();
}

void http_calls::end() {
  {
    const std::lock_guard lock{telling_};
    has_ended_ = true;
  }
  boost::asio::post(io_, [self = shared_from_this()] { self->close_all(); });
}

/// The loop is told once for all that comes before it looks. REQUIRES: the lock is held.
void http_calls::hand_over() {
  if (!std::exchange(is_handed_over_, true))
    boost::asio::post(io_, [self = shared_from_this()] { self->take_handed_over(); });
}

void http_calls::take_handed_over() {
  std::vector<std::pair<call_ticket, call>> begun;
  std::vector<call_ticket> stopped;
  {
    const std::lock_guard lock{mutex_};
    begun.swap(started_);
    stopped.swap(stopped_);
    is_handed_over_ = false;
  }
  for (auto& [ticket, what] : begun)
    begin(ticket, what);
  for (const auto ticket : stopped)
    end_early(ticket);
}

// ---- calls ----

void http_calls::begin(call_ticket ticket, const call& what) {
  auto& c = open_[ticket];
  c.action = what.action;
  c.began_at = what.began_at;
  c.may_end_later = !what.token.empty();
  c.request = text_.of(what);
  if (!begin_on_kept(ticket, c))
    connect(ticket, c);
}

/// A connection that the service has closed meanwhile is no reason for a call to fail: nothing was sent over it.
bool http_calls::begin_on_kept(call_ticket ticket, open_call& c) {
  while (!kept_.empty()) {
    c.connection = std::move(kept_.back());
    kept_.pop_back();
    c.connection->ticket = ticket;
    if (c.connection->is_alive() && send(c))
      return true;
    c.connection->close();
  }
  return false;
}

bool http_calls::send(open_call& c) {
  return c.connection->send(c.request, body_max_, options_.method == "HEAD");
}

void http_calls::connect(call_ticket ticket, open_call& c) {
  const auto made = std::make_shared<http_connection>(io_, static_cast<connection_user&>(*this));
  c.connection = made;
  made->ticket = ticket;
  made->limit_opening(std::chrono::milliseconds{options_.connect_limit});
  lookup_->find([weak = weak_from_this(), made](const name_lookup::addresses& found, const std::string& fault) {
    if (const auto self = weak.lock())
      self->dial(made, found, fault);
  });
}

/// The addresses are looked at when they are known, so that no name and no form of a number gets around the check.
void http_calls::dial(const std::shared_ptr<http_connection>& c, const name_lookup::addresses& found,
                      const std::string& fault) {
  boost::system::error_code is_name;
  const auto target = boost::asio::ip::make_address(to_.host, is_name);
  const bool is_refused =
    std::any_of(found.begin(), found.end(), is_metadata) || (!is_name && is_metadata(target)); // behind a proxy
  if (is_refused && !options_.allow_link_local)
    return c->give_up({broken_call::cause::refused_address, {}, 0});
  if (found.empty())
    return c->give_up({broken_call::cause::not_connected, fault, 0});
  auto steps = openings();
  if (!context_fault_.empty())
    return c->give_up({broken_call::cause::not_connected, context_fault_, 0});
  c->dial(in_turns(found), proxy_.host.empty() ? to_.port : proxy_.port, std::move(steps));
}

http_connection::steps http_calls::openings() {
  http_connection::steps steps;
  context_fault_.clear();
  const auto add_tls = [&](const std::string& host) {
    if (const auto with = context())
      steps.push_back(std::make_unique<tls_layer>(with, host));
  };
  if (proxy_.is_tls())
    add_tls(proxy_.host);
  if (is_tunnelled_)
    steps.push_back(open_tunnel(proxy_, to_));
  if (to_.is_tls())
    add_tls(to_.host);
  return steps;
}

tls_context http_calls::context() {
  if (context_)
    return context_;
  context_ = make_tls_context(options_.ca_file, context_fault_);
  context_age_.expires_after(context_limit);
  context_age_.async_wait([weak = weak_from_this()](const error_code& is_cancelled) {
    if (const auto self = weak.lock(); self && !is_cancelled)
      self->context_.reset();
  });
  return context_;
}

/// Closes the call's connection; nobody knows whether the service acts nevertheless.
void http_calls::end_early(call_ticket ticket) {
  if (const auto found = open_.find(ticket); found != open_.end()) {
    found->second.connection->close();
    finish(ticket, {report_kind::stopped, {}, "stopped", true, workflow::span{0}, true});
  }
}

/// What ends in one turn of the loop is told together.
void http_calls::finish(call_ticket ticket, answer a) {
  open_.erase(ticket);
  ended_.push_back({ticket, std::move(a)});
  if (ended_.size() == 1)
    boost::asio::post(io_, [self = shared_from_this()] { self->tell_ends(); });
}

void http_calls::tell_ends() {
  const std::lock_guard lock{telling_};
  if (!has_ended_)
    over_(std::exchange(ended_, {}));
}

// ---- connections ----

void http_calls::on_open(http_connection& c) {
  auto& of = open_.at(c.ticket);
  if (!send(of))
    on_broken(c, {broken_call::cause::lost, {}, 0});
}

void http_calls::on_reply(http_connection& c, http_reply reply, bool keeps) {
  const auto& of = open_.at(c.ticket);
  auto a = answer_of(reply, options_, of.action, of.began_at, of.may_end_later);
  if (keeps)
    keep(c);
  else
    c.close();
  finish(std::exchange(c.ticket, 0), std::move(a));
}

/// The request is not sent again: the answer to the second would pass for one to the first, on which the service may
/// still be working. Only the agent makes another try.
void http_calls::on_broken(http_connection& c, broken_call b) {
  if (b.why == broken_call::cause::not_connected)
    lookup_->forget();
  if (c.ticket != 0)
    finish(c.ticket, answer_of(b, options_, body_max_));
  else
    std::erase_if(kept_, [&c](const auto& k) { return k.get() == &c; });
}

void http_calls::keep(http_connection& c) {
  if (kept_.size() >= keeps_.kept_max)
    return c.close();
  c.idle_since = sweeps_;
  kept_.push_back(c.shared_from_this());
  if (!is_sweeping_)
    sweep();
}

/// Closes connections that have waited for long; they are in the order in which they were used.
void http_calls::sweep() {
  const auto first_young =
    std::find_if(kept_.begin(), kept_.end(), [this](const auto& k) { return sweeps_ - k->idle_since < keeps_.sweeps; });
  std::for_each(kept_.begin(), first_young, [](const auto& k) { k->close(); });
  kept_.erase(kept_.begin(), first_young);
  is_sweeping_ = !kept_.empty();
  if (!is_sweeping_)
    return;
  sweeping_.expires_after(keeps_.sweep_every);
  sweeping_.async_wait([weak = weak_from_this()](const error_code& is_cancelled) {
    if (const auto self = weak.lock(); self && !is_cancelled) {
      ++self->sweeps_;
      self->sweep();
    }
  });
}

void http_calls::close_all() {
  for (auto& [ticket, c] : std::exchange(open_, {}))
    c.connection->close();
  for (const auto& c : std::exchange(kept_, {}))
    c->close();
  sweeping_.cancel();
  context_age_.cancel();
}

} // namespace steadfast::actors
