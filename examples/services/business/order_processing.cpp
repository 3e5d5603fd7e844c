#include "examples/services/business/business.hpp"

#include <cmath>

// The four services behind the workflow order_processing.

namespace services {

namespace {

constexpr double charge_max = 10'000;
constexpr double quantity_max = 100;

bool is_currency(const std::string& text) {
  return text.size() == 3 && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
}

/// Adds up the quantities; refuses the first invalid line.
double count_pieces(fields& in, const json& lines) {
  double pieces = 0;
  for (const auto& line : lines) {
    const auto sku = line.is_object() ? line.value("sku", json{}) : json{};
    const auto quantity = line.is_object() ? line.value("quantity", json{}) : json{};
    const double count = quantity.is_number_integer() ? quantity.get<double>() : 0;
    if (!sku.is_string() || sku.get_ref<const std::string&>().empty() || count < 1 || count > quantity_max)
      in.refuse("items", "must hold objects with a sku and a quantity of 1 to 100");
    else if (sku.get_ref<const std::string&>().starts_with("sold-out"))
      in.refuse("items", "asks for what is sold out: " + sku.get<std::string>());
    pieces += count;
  }
  return pieces;
}

decision store_order(const json& body, const std::string&) {
  fields in{body};
  const auto order = in.text("order_id");
  const auto customer = in.text("customer");
  const auto lines = in.list("items").size();
  if (!in.are_good())
    return in.first_refusal();
  return json{{"order_id", order}, {"customer", customer}, {"lines", lines}};
}

decision charge(const json& body, const std::string& key) {
  fields in{body};
  const auto order = in.text("order_id");
  const auto amount = in.number("amount", 0, charge_max);
  const auto currency = in.text("currency");
  if (!is_currency(currency))
    in.refuse("currency", "must be a code of three capital letters");
  if (!in.are_good())
    return in.first_refusal();
  return json{
    {"payment_id", id_from_key("pay-", key)}, {"order_id", order}, {"amount", amount}, {"currency", currency}};
}

decision reserve_stock(const json& body, const std::string& key) {
  fields in{body};
  const auto order = in.text("order_id");
  const auto pieces = count_pieces(in, in.list("items"));
  if (!in.are_good())
    return in.first_refusal();
  return json{{"reservation_id", id_from_key("rsv-", key)}, {"order_id", order}, {"pieces", std::lround(pieces)}};
}

decision book_shipping(const json& body, const std::string& key) {
  fields in{body};
  const auto order = in.text("order_id");
  const auto address = in.text("address");
  if (!in.are_good())
    return in.first_refusal();
  return json{{"shipment_id", id_from_key("shp-", key)}, {"order_id", order}, {"address", address}};
}

} // namespace

std::vector<business> order_processing_businesses() {
  return {
    {"orders", "store", "stores the order: {order_id, customer, items}", store_order},
    {"payment", "charge", "charges the customer: {order_id, amount, currency}", charge},
    {"stock", "reserve", "reserves the pieces: {order_id, items: [{sku, quantity}]}", reserve_stock},
    {"shipping", "book", "books the shipment: {order_id, address}", book_shipping},
  };
}

} // namespace services
