#pragma once

#include "tests/actors/one_node.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace steadfast::tests {

/// In place of a network: finds the fronts of nodes by their addresses.
class address_book {
public:
  explicit address_book(one_node& home);

  /// `there`: also what a connection to it says of it.
  void add(const std::string& address, const actors::reached_node& there) { (*fronts_)[address] = there; }
  actors::node_front at(const std::string& address) const { return fronts_->at(address).front; }
  void remove(const std::string& address) { fronts_->erase(address); }
  /// How often somebody dialled this address.
  std::size_t dials(const std::string& address) const { return (*dials_)[address]; }
  const actors::dialer_actor& dialer() const { return dialer_; }

private:
  std::shared_ptr<std::map<std::string, actors::reached_node>> fronts_;
  std::shared_ptr<std::map<std::string, std::size_t>> dials_;
  actors::dialer_actor dialer_;
};

/// Lets other nodes reach the node with the store, at `home_address`.
inline constexpr const char* home_address = "home:1";
actors::node_offer open_home(one_node& home, address_book& book);

struct neighbour_settings {
  bool has_scheduler = true;
  std::vector<std::string> steps = {"hotel", "flight"}; ///< whose agents it has
  workflow::lease_terms lease;
  std::shared_ptr<actors::shared_lead> lead; ///< of the clock that the test has it follow; none: that of `home`
};

/// Another node of a cluster, besides the one with the store: its actors live in the same system, so time and messages
/// are those of `home`. It must not outlive it.
class neighbour {
public:
  neighbour(one_node& home, address_book& book, std::string name, neighbour_settings settings = {});

  /// All its actors end at once; its lease stays until it lapses.
  void crash();
  /// The connection to the store breaks, with all that is on its way to this node; then it is there again.
  void lose_store();
  void find_store();

  scripted_agent& agent(const std::string& step) { return agents_["agent_of_" + step]; }

  std::string name;
  actors::store_link_actor link;
  actors::scheduler_actor scheduler;
  actors::membership_actor membership;
  actors::lease_actor lease;
  actors::node_front front;

private:
  one_node& home_;
  address_book& book_;
  std::map<std::string, scripted_agent> agents_;
};

} // namespace steadfast::tests
