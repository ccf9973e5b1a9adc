#include "tests/tool/archive/shell.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace exhibit {

Shell::Shell() {
  std::string name =
      (std::filesystem::temp_directory_path() / "exhibit-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  folder_ = name;
}

Shell::~Shell() { std::filesystem::remove_all(folder_); }

ShellEnd Shell::Run(const std::string& script) const {
  const std::string file = folder_ + ".sh";
  std::ofstream(file) << "PATH=" EXHIBIT_BIN_DIR
                         ":$PATH\nSOURCE=" EXHIBIT_SOURCE_DIR "\ncd "
                      << folder_ << "\n"
                      << script;
  FILE* const pipe = popen(("sh -eu " + file + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen");
  ShellEnd end;
  std::array<char, 4096> piece;
  while (const size_t got = fread(piece.data(), 1, piece.size(), pipe)) {
    end.talk.append(piece.data(), got);
  }
  const int code = pclose(pipe);
  std::filesystem::remove(file);
  end.status = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
  return end;
}

}  // namespace exhibit
