#pragma once

#include "tests/support/fast_place.hpp"
#include "tests/support/processes/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace steadfast::tests {

/// A real node, `steadfast serve`, with a store of its own in a folder of its own, and the commands that talk to it.
/// Its agents are programs: `quick` answers at once, `slow` after 300 ms, `broken` refuses for good.
class node_process {
public:
  explicit node_process(std::string program, const std::string& more_config = "",
                        std::vector<std::string> environment = {}, const std::string& name = "test")
      : program_{std::move(program)},
        environment_{std::move(environment)} {
    folder_.write("node.toml", "name = \"" + name + "\"\nworkflows = [\"workflows\"]\n[store]\npath = \"store\"\n"
                                 + more_config + agent("quick", "/bin/cat", "") + agent("slow", "/bin/sleep", "\"0.3\"")
                                 + agent("broken", "/bin/false", ""));
    std::filesystem::create_directory(folder_.path() / "workflows");
    workflow("one", {"quick"});
    workflow("three", {"quick", "slow", "quick"});
    workflow("refused", {"quick", "broken"});
  }

  std::string config() const { return (folder_.path() / "node.toml").string(); }
  const temp_folder& folder() const { return folder_; }

  /// Starts it and waits until it takes work.
  void start() {
    running_ =
      std::make_unique<running_program>(program_, std::vector<std::string>{"serve", "-c", config()}, environment_);
    if (!running_->says("is ready", hang_limit))
      throw std::runtime_error{"the node did not start: " + running_->err()};
  }
  running_program& process() { return *running_; }
  /// What it runs from its next start on, and its commands from now on.
  void set_program(std::string program) { program_ = std::move(program); }

  void kill() {
    running_->signal(SIGKILL);
    running_->wait(hang_limit);
    running_.reset();
  }

  /// A command about this node.
  program_end command(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.end(), {"-c", config()});
    return run_program(program_, arguments, input);
  }

  /// The lines of JSON that the command prints.
  std::vector<nlohmann::json> json_of(std::vector<std::string> arguments) const {
    const auto end = command(std::move(arguments));
    std::vector<nlohmann::json> lines;
    std::size_t begin = 0;
    for (auto at = end.out.find('\n'); at != std::string::npos; begin = at + 1, at = end.out.find('\n', begin))
      lines.push_back(nlohmann::json::parse(end.out.substr(begin, at - begin)));
    if (lines.empty() && end.code != 0)
      throw std::runtime_error{"the command failed: " + end.err};
    return lines;
  }

private:
  static std::string agent(const std::string& name, const std::string& program, const std::string& arguments) {
    return "\n[[agent]]\nname = \"" + name + "\"\nprogram = \"" + program + "\"\narguments = [" + arguments
           + "]\nallow_root = true\n";
  }

  void workflow(const std::string& name, const std::vector<std::string>& agents) {
    std::string text = "name = \"" + name + "\"\n";
    for (std::size_t i = 0; i < agents.size(); ++i)
      text += "[[step]]\nname = \"step" + std::to_string(i + 1) + "\"\nagent = \"" + agents[i]
              + "\"\ncompensation = { agent = \"quick\" }\n";
    folder_.write("workflows/" + name + ".toml", text);
  }

  std::string program_;
  std::vector<std::string> environment_; ///< of the node, added to ours
  temp_folder folder_{fast_place()};
  std::unique_ptr<running_program> running_;
};

} // namespace steadfast::tests
