// A step over items in a real node that is killed in the middle of it, judged by what the programs did.

#include "tests/support/comes_true.hpp"
#include "tests/support/processes/node_process.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace steadfast::tests;

namespace {

constexpr int parcels = 12;
constexpr int at_a_time = 3;

/// A node with a workflow `order`: a parcel for each item, `at_a_time` under way, then the event `go`. From parcel 5
/// on a call stays under way until shipping was opened, and below parcel 7 a recall until recalls were. The programs
/// write down what they do: `begun`, `did` once for each parcel, `ended`.
class carrier : public node_process {
public:
  explicit carrier(const std::string& complete_by = "30s")
      : node_process{STEADFAST_BINARY, agent("ship") + agent("recall")} {
    folder().write("ship.sh",
                   "key=${STEADFAST_REVERSES:-$STEADFAST_KEY}\nparcel=${key#t1/ship/}\nparcel=${parcel%%/*}\n"
                   "echo \"begun $parcel\" >> $1.log\n"
                   "if [ $1 = ship ]; then held=$((parcel >= 5)); else held=$((parcel < 7)); fi\n"
                   "until [ $held = 0 ] || [ -e $1.open ]; do sleep 0.02; done\n"
                   "if mkdir $1.$parcel 2>/dev/null; then echo \"did $parcel\" >> $1.log; fi\n"
                   "echo \"ended $parcel\" >> $1.log\nprintf '{\"parcel\": %s}' $parcel\n");
    folder().write("workflows/order.toml",
                   "name = \"order\"\ndeadline = \"10d\"\n[[step]]\nname = \"ship\"\nfor_each = \"payload:/items\"\n"
                   "at_a_time = "
                     + std::to_string(at_a_time) + "\nagent = \"ship\"\ncomplete_by = \"" + complete_by
                     + "\"\ncompensation = { agent = \"recall\" }\n[[step]]\nname = \"go\"\n"
                       "wait = { event = \"go\", limit = \"3d\" }\n");
    start();
    std::string items;
    for (int i = 0; i < parcels; ++i)
      items += (i > 0 ? "," : "") + std::to_string(i);
    REQUIRE(command({"submit", "order", "--id", "t1", "--data", "{\"items\":[" + items + "]}"}).code == 0);
  }

  void open(const std::string& what) const { folder().write(what + ".open", ""); }
  nlohmann::json task(const std::string& id) const { return json_of({"task", "show", id, "--json"}).at(0); }
  bool becomes(const std::string& id, const std::string& state) const {
    return comes_true([&] { return task(id).at("process_state") == state; });
  }
  bool has_shipped() const {
    return comes_true([&] { return task("t1").at("steps").at(0).at("state") == "completed"; });
  }
  /// Whether `count` parcels have ended, and `at_a_time` others have begun.
  bool is_in_the_middle(const std::string& of, std::size_t count) const {
    return comes_true([&] {
      const auto lines = said(of);
      return parcels_that("ended", lines).size() == count && parcels_that("begun", lines).size() == count + at_a_time;
    });
  }

  struct line {
    std::string what;
    int parcel;
  };
  std::vector<line> said(const std::string& by) const {
    std::ifstream in{folder().path() / (by + ".log")};
    std::vector<line> all;
    for (line x; in >> x.what >> x.parcel;)
      all.push_back(x);
    return all;
  }
  /// In order, as often as they did.
  static std::vector<int> parcels_that(const std::string& what, const std::vector<line>& lines) {
    std::vector<int> found;
    for (const auto& x : lines)
      if (x.what == what)
        found.push_back(x.parcel);
    return found;
  }

private:
  static std::string agent(const std::string& name) {
    return "\n[[agent]]\nname = \"" + name + "\"\nprogram = \"/bin/sh\"\narguments = [\"ship.sh\", \"" + name
           + "\"]\ndirectory = \".\"\nenvironment = { PATH = \"/usr/bin:/bin\" }\nallow_root = true\n";
  }
};

/// Each parcel was acted on once, those under way at the kill were called once more and no other was, and never more
/// than `at_a_time` were under way. `killed_at`: lines that were said before.
void check_calls(const std::vector<carrier::line>& lines, std::size_t killed_at) {
  std::map<int, int> begun, did;
  std::vector<int> under_way, killed;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == killed_at)
      killed.swap(under_way);
    const auto& [what, parcel] = lines[i];
    begun[parcel] += what == "begun" ? 1 : 0;
    did[parcel] += what == "did" ? 1 : 0;
    if (what == "begun")
      under_way.push_back(parcel);
    if (what == "ended")
      under_way.erase(std::find(under_way.begin(), under_way.end(), parcel));
    CHECK(under_way.size() <= at_a_time);
  }
  CHECK(under_way.empty());
  CHECK(killed.size() == at_a_time);
  for (int i = 0; i < parcels; ++i) {
    INFO("parcel " << i);
    CHECK(did[i] == 1);
    CHECK(begun[i] == (std::find(killed.begin(), killed.end(), i) == killed.end() ? 1 : 2));
  }
}

} // namespace

TEST_CASE("row 128: a node is killed in the middle of its items: each is done once, the results are in order") {
  carrier node;
  REQUIRE(node.is_in_the_middle("ship", 5));
  node.kill();
  const auto killed_at = node.said("ship").size();
  node.start();
  node.open("ship");
  REQUIRE(node.has_shipped());
  check_calls(node.said("ship"), killed_at);
  const auto results = node.task("t1").at("steps").at(0).at("result");
  REQUIRE(results.size() == parcels);
  for (int i = 0; i < parcels; ++i)
    CHECK(results.at(static_cast<std::size_t>(i)).at("parcel") == i);
  CHECK(node.said("recall").empty());
  CHECK(node.command({"store", "check"}).code == 0);
}

TEST_CASE("row 130: a node is killed in the middle of the undo of items: each is undone once, the last first") {
  carrier node;
  node.open("ship");
  REQUIRE(node.has_shipped());
  REQUIRE(node.command({"task", "cancel", "t1", "--why", "sent back"}).code == 0);
  REQUIRE(node.is_in_the_middle("recall", 5));
  const auto held = node.said("recall");
  node.kill();
  const auto killed_at = node.said("recall").size();
  CHECK(killed_at == held.size());
  node.start();
  node.open("recall");
  CHECK(node.becomes("t1", "undone"));
  const auto lines = node.said("recall");
  check_calls(lines, killed_at);
  for (const auto parcel : carrier::parcels_that("ended", held))
    CHECK(parcel >= 7);
  std::vector<int> ended; // of those that follow a parcel, all but the ones beside it
  for (const auto& [what, parcel] : lines) {
    if (what == "ended")
      ended.push_back(parcel);
    const auto later = std::count_if(ended.begin(), ended.end(), [p = parcel](int x) { return x > p; });
    if (what == "begun")
      CHECK(later + at_a_time >= parcels - parcel);
  }
  for (int i = 0; i < parcels; ++i)
    CHECK(node.task("t1/ship/" + std::to_string(i)).at("process_state") == "undone");
  CHECK(node.command({"store", "check"}).code == 0);
}

TEST_CASE("row 130: a task is cancelled in the middle of its items and the node killed: what began is undone") {
  carrier node{"8s"}; // so long what was lost may act
  REQUIRE(node.is_in_the_middle("ship", 5));
  REQUIRE(node.command({"task", "cancel", "t1", "--why", "sent back"}).code == 0);
  node.kill();
  const auto begun = carrier::parcels_that("begun", node.said("ship"));
  node.open("recall");
  node.start();
  node.open("ship");
  CHECK(node.becomes("t1", "undone"));
  const auto did = carrier::parcels_that("did", node.said("ship"));
  auto recalled = carrier::parcels_that("did", node.said("recall"));
  std::sort(recalled.begin(), recalled.end());
  CHECK(std::is_permutation(begun.begin(), begun.end(), recalled.begin(), recalled.end()));
  for (const auto parcel : did)
    CHECK(std::find(begun.begin(), begun.end(), parcel) != begun.end());
  CHECK(node.command({"store", "check"}).code == 0);
}
