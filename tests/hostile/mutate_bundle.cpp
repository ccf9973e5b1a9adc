// Changes a sealed bundle one byte at a time and lets the audit judge each.
//
//   mutate_bundle BUNDLE STEP
//
// Every STEP-th byte of every file is given another value, and every STEP-th
// length is tried as the end of the file; 1 tries them all. Each is judged
// twice: as it is, where nothing may pass, and with SHA256SUMS made true again,
// where what passes must be the same run and a changed byte. Prints one line
// for each byte that so passes, for others to say why, and one per file; exits
// with 1 when something passed that must not. The bundle is itself again after.

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>

#include "audit/audit.h"
#include "audit/subject.h"
#include "manifests/content_id.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

namespace fs = std::filesystem;
constexpr char kSeal[] = "SHA256SUMS";
constexpr char kSignature[] = "content-id.sig";  // Outside the seal.

using Files = std::map<std::string, std::string>;  // Name -> bytes.

Files ReadBundleFiles(const fs::path& bundle) {
  Files files;
  for (const auto& entry : fs::directory_iterator(bundle)) {
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().filename()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return files;
}

std::string SealOf(const Files& files) {
  FileDigests digests;
  for (const auto& [name, bytes] : files) {
    if (name != kSeal && name != kSignature) digests[name] = Sha256Hex(bytes);
  }
  return EncodeIndex(digests);
}

struct Counts {
  uint64_t tried = 0;
  uint64_t passed = 0;         // Verified as it is: a hole.
  uint64_t sealed_tried = 0;   // With the seal made true again.
  uint64_t sealed_passed = 0;  // Verified then, of the same run.
  uint64_t other_run = 0;      // Verified then, of another run: a hole.
};

class Mutator {
 public:
  explicit Mutator(const fs::path& bundle)
      : bundle_(bundle), files_(ReadBundleFiles(bundle)) {
    content_id_ = Judge();
    if (content_id_.empty()) throw std::runtime_error("the bundle is unsound");
  }
  ~Mutator() {
    for (const auto& [name, bytes] : files_) Write(name, bytes);
  }

  const Files& files() const { return files_; }

  // Judges the bundle with these bytes in the place of file `name`.
  // Returns whether it passed with the seal made true again, as the same run.
  bool Try(const std::string& name, const std::string& bytes, Counts& counts) {
    bool same_run = false;
    Write(name, bytes);
    ++counts.tried;
    if (!Judge().empty()) ++counts.passed;
    if (name != kSeal) {
      Files changed = files_;
      changed[name] = bytes;
      Write(kSeal, SealOf(changed));
      ++counts.sealed_tried;
      const std::string content_id = Judge();
      same_run = content_id == content_id_;
      if (same_run) ++counts.sealed_passed;
      if (!content_id.empty() && content_id != content_id_) ++counts.other_run;
      Write(kSeal, files_.at(kSeal));
    }
    Write(name, files_.at(name));
    return same_run;
  }

 private:
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream file(bundle_ / name, std::ios::binary | std::ios::trunc);
    file << bytes;
  }

  // The content id of a bundle that is verified, or "".
  std::string Judge() const {
    const Result<Subject> subject = LoadSubject(bundle_.string());
    if (!subject.ok()) return "";
    const bool verified = Audit(*subject).verdict == Verdict::kVerified;
    return verified ? subject->content_id : "";
  }

  const fs::path bundle_;
  const Files files_;
  std::string content_id_;
};

void Print(const char* what, const std::string& name, const Counts& counts) {
  const auto number = [](uint64_t value) {
    return static_cast<unsigned long long>(value);
  };
  std::printf(
      "%s: %s: %llu tried, %llu passed; sealed again: %llu tried, %llu passed "
      "as the same run, %llu as another\n",
      name.c_str(), what, number(counts.tried), number(counts.passed),
      number(counts.sealed_tried), number(counts.sealed_passed),
      number(counts.other_run));
}

bool IsSound(const Counts& counts) {
  return counts.passed == 0 && counts.other_run == 0;
}

bool MutateAll(const fs::path& bundle, size_t step) {
  Mutator mutator(bundle);
  bool sound = true;
  for (const auto& [name, bytes] : mutator.files()) {
    Counts flips, cuts;
    for (size_t at = 0; at < bytes.size(); at += step) {
      std::string changed = bytes;
      // Another bit at each place, and now and then all of them.
      changed[at] ^= static_cast<char>(at % 9 == 8 ? 0xff : 1 << at % 9);
      if (mutator.Try(name, changed, flips)) {
        std::printf("%s: same run with byte %zu changed by %02x\n",
                    name.c_str(), at,
                    static_cast<unsigned char>(changed[at] ^ bytes[at]));
      }
      mutator.Try(name, bytes.substr(0, at), cuts);
    }
    Print("bytes changed", name, flips);
    Print("lengths cut", name, cuts);
    sound = sound && IsSound(flips) && IsSound(cuts) && cuts.sealed_passed == 0;
  }
  return sound;
}

}  // namespace
}  // namespace exhibit

int main(int argc, char** argv) {
  size_t step = 0;
  if (argc == 3) {
    std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), step);
  }
  if (step == 0) {
    std::fprintf(stderr, "error: a bundle and a step are asked for\n");
    return 2;
  }
  try {
    return exhibit::MutateAll(argv[1], step) ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 3;
  }
}
