// A real node and a real service that is at work when its step is not wanted any more: whatever the service does until
// the attempt's complete-by and the grace are over, nothing is left in place.

#include "tests/examples/services/running_service.hpp"
#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace tests;
using steadfast::tests::node_process;

namespace {

class node_with_payment {
public:
  node_with_payment() : node_{STEADFAST_BINARY, agents()} {
    node_.folder().write("workflows/pay.toml", workflow("pay", false));
    node_.folder().write("workflows/pay_beside.toml", workflow("pay_beside", true));
    node_.start();
  }

  const node_process& node() const { return node_; }

  void submit(const std::string& workflow, const std::string& fault) const {
    const auto payload = json{{"order_id", "o-1"}, {"amount", 5}, {"currency", "EUR"}, {"fault", fault}}.dump();
    REQUIRE(node_.command({"submit", workflow, "--id", "t-1", "--data", payload}).code == 0);
  }
  json task() const { return node_.json_of({"task", "show", "t-1", "--json"}).at(0); }
  bool is(const std::string& state) const { return task().at("process_state") == state; }
  int effects_in_place() const { return payment_.get("/stats").body.at("effects_in_place").get<int>(); }
  bool is_at_work() const { return payment_.get("/stats").body.at("held").get<int>() > 0; }

private:
  /// The payment and, if asked for, a step in parallel that is refused for good at once.
  static std::string workflow(const std::string& name, bool has_refusal) {
    std::string text = "name = \"" + name
                       + "\"\n[[step]]\nname = \"pay\"\nagent = \"payment\"\ncomplete_by = \"6s\"\n"
                         "input = { order_id = \"payload:/order_id\", amount = \"payload:/amount\", "
                         "currency = \"payload:/currency\", fault = \"payload:/fault\" }\n"
                         "compensation = { agent = \"payment_undo\" }\nprobe = { agent = \"payment_probe\" }\n";
    if (has_refusal)
      text += "[[step]]\nname = \"refuse\"\nagent = \"broken\"\nafter = []\n";
    return text;
  }

  std::string agents() const {
    std::string text;
    for (const std::string what : {"", "_undo", "_probe"})
      text += "[[agent]]\nname = \"payment" + what + "\"\nurl = \"" + payment_.url()
              + (what.empty() ? payment_.operation_path() : "/" + what.substr(1)) + "\"\n";
    return text;
  }

  temp_folder data_;
  running_service payment_{"payment", data_, {"--hang-seconds", "2"}};
  node_process node_;
};

} // namespace

TEST_CASE("row 74: a service that is at work when its task turns round is heard out and undone") {
  node_with_payment x;
  SECTION("a parallel step is refused for good") {
    x.submit("pay_beside", "hang_before");
  }
  SECTION("the task is cancelled") {
    x.submit("pay", "hang_before");
    REQUIRE(comes_true([&] { return x.is_at_work(); }));
    REQUIRE(x.node().command({"task", "cancel", "t-1", "--why", "changed her mind"}).code == 0);
  }
  REQUIRE(comes_true([&] { return x.is("undone"); }));
  INFO(x.task().dump(1));
  CHECK(x.effects_in_place() == 0);
  CHECK(x.task().at("steps").at(0).at("state") == "compensated"); // the service's word counted
}

TEST_CASE("row 75: a service that acts after its connection was lost is undone") {
  node_with_payment x;
  x.submit("pay_beside", "lose:1");
  REQUIRE(comes_true([&] { return x.is("undone"); }));
  REQUIRE(comes_true([&] { return !x.is_at_work(); }));
  INFO(x.task().dump(1));
  CHECK(x.effects_in_place() == 0);
}
