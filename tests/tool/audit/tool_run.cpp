#include "tests/tool/audit/tool_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace exhibit::testing {

ScratchFolder::ScratchFolder() {
  path_ = (std::filesystem::temp_directory_path() / "audit-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error("no scratch folder");
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ToolEnd RunIn(const ScratchFolder& folder, const std::string& words) {
  const std::string line = "cd '" + folder.path() + "' && PATH='" +
                           EXHIBIT_BIN_DIR + "':\"$PATH\" && " + words;
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell");
  ToolEnd end;
  char piece[4096];
  for (size_t count; (count = fread(piece, 1, sizeof piece, pipe)) > 0;) {
    end.out.append(piece, count);
  }
  const int status = pclose(pipe);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace exhibit::testing
