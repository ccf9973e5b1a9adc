// Runs a fuzz target over its corpus and over mutations of it, without
// libFuzzer.
//
//   TARGET [--mutations N] [--seconds S] [--seed K] FILE-OR-FOLDER...
//
// Every file is run as it is, then mutated N times; S ends the mutations, not
// the files. Prints what was run. Ends with 1 when the target throws, and by
// the signal when it crashes or hangs; either way the input is in the file
// crash-input-<pid> of the working directory. Giving that file runs it again.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/mutation.h"
#include "tests/fuzz/property.h"

namespace {

namespace fs = std::filesystem;

constexpr unsigned kHangSeconds = 60;
constexpr size_t kInputBytesMax = size_t{1} << 20;

// What the handler of a signal may touch: set before the target is called.
char crash_file[64];
const char* input_data = nullptr;
size_t input_size = 0;

void KeepInput() {
  const int fd = open(crash_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) return;
  size_t done = 0;
  while (done < input_size) {
    const ssize_t n = write(fd, input_data + done, input_size - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  close(fd);
}

void OnSignal(int signal_number) {
  KeepInput();
  constexpr char kText[] = "crashed; the input is in the file crash-input-*\n";
  (void)!write(STDERR_FILENO, kText, sizeof kText - 1);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void CatchSignals() {
  // A handler of its own stack, so that deep recursion is caught as well.
  static char stack[1 << 16];
  stack_t own = {};
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  sigaltstack(&own, nullptr);
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) {
    sigaction(number, &action, nullptr);
  }
}

struct Settings {
  uint64_t mutations = 2000;
  uint64_t seconds = 600;
  uint64_t seed = 1;
  std::vector<std::string> paths;
};

[[noreturn]] void Usage(const char* what) {
  std::fprintf(stderr,
               "error: %s\nhint: [--mutations N] [--seconds S] [--seed K] "
               "FILE-OR-FOLDER...\n",
               what);
  std::exit(2);
}

Settings ReadArguments(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    uint64_t* const number = word == "--mutations" ? &settings.mutations
                             : word == "--seconds" ? &settings.seconds
                             : word == "--seed"    ? &settings.seed
                                                   : nullptr;
    if (number == nullptr) {
      if (word.starts_with("-")) Usage("unknown option");
      settings.paths.emplace_back(word);
      continue;
    }
    if (++i == argc) Usage("an option has no value");
    const char* const end = argv[i] + std::strlen(argv[i]);
    const auto parsed = std::from_chars(argv[i], end, *number);
    if (parsed.ec != std::errc() || parsed.ptr != end) Usage("not a number");
  }
  if (settings.paths.empty()) Usage("no corpus");
  return settings;
}

// The files in bytewise order of their paths, so that a seed means the same
// everywhere.
std::vector<std::string> ReadCorpus(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      names.push_back(path);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(path)) {
      names.push_back(entry.path().string());
    }
  }
  std::sort(names.begin(), names.end());
  std::vector<std::string> corpus;
  for (const std::string& name : names) {
    std::ifstream file(name, std::ios::binary);
    if (!file) Usage("a corpus file cannot be read");
    corpus.emplace_back(std::istreambuf_iterator<char>(file),
                        std::istreambuf_iterator<char>());
  }
  if (corpus.empty()) Usage("the corpus is empty");
  return corpus;
}

// False when the target held something against the input.
bool RunInput(const std::string& input) {
  input_data = input.data();
  input_size = input.size();
  alarm(kHangSeconds);
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()),
                           input.size());
  } catch (const std::exception& e) {
    KeepInput();
    std::printf("%s\nthe input, %zu bytes, is in the file %s\n", e.what(),
                input.size(), crash_file);
    return false;
  }
  alarm(0);
  return true;
}

bool RunMutations(const std::vector<std::string>& corpus,
                  const Settings& settings, uint64_t& run_count) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(settings.seconds);
  for (uint64_t round = 0; round < settings.mutations; ++round) {
    for (size_t i = 0; i < corpus.size(); ++i) {
      if (std::chrono::steady_clock::now() >= end) return true;
      const uint64_t seed = (settings.seed << 48) + (round << 16) + i;
      const std::string& other = corpus[(i + round) % corpus.size()];
      const std::string input = exhibit::fuzz::Mutate(corpus[i], other, seed);
      if (input.size() > kInputBytesMax) continue;
      if (!RunInput(input)) return false;
      ++run_count;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = ReadArguments(argc, argv);
  const std::vector<std::string> corpus = ReadCorpus(settings.paths);
  std::snprintf(crash_file, sizeof crash_file, "crash-input-%ld",
                static_cast<long>(getpid()));
  CatchSignals();
  for (const std::string& input : corpus) {
    if (!RunInput(input)) return 1;
  }
  uint64_t run_count = 0;
  const bool sound = RunMutations(corpus, settings, run_count);
  std::printf("%zu corpus files, %llu mutations\n", corpus.size(),
              static_cast<unsigned long long>(run_count));
  return sound ? 0 : 1;
}
