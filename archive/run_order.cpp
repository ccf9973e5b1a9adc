#include "archive/run_order.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "archive/bytes.h"
#include "archive/progress.h"
#include "manifests/content_id.h"
#include "manifests/file.h"
#include "manifests/json.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

constexpr std::string_view kSourcesPrefix = "sources/";

int Rank(std::string_view path) {
  const std::string_view first[] = {kManifestPath, kFreezePath, kAttemptsPath};
  const auto* const found = std::find(std::begin(first), std::end(first), path);
  if (found != std::end(first)) return static_cast<int>(found - first);
  return IsSourcePath(path) ? 4 : 3;
}

// What is wrong with a run does not depend on where it lies.
Result<std::vector<std::string>> ListBelow(const std::string& run,
                                           const ArchiveLimits& limits) {
  auto paths = ListFiles(run, limits.member_count_max);
  if (paths.ok() || paths.error().kind == ErrorKind::kIo ||
      !paths.error().message.starts_with(run + ": ")) {
    return paths;
  }
  Error error = paths.error();
  error.message.erase(0, run.size() + 2);
  return error;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

bool IsSourcePath(std::string_view path) {
  return path.starts_with(kSourcesPrefix);
}

std::string StepName(const std::string& path) {
  return IsSourcePath(path) ? "sources" : path;
}

bool ComesBefore(std::string_view a, std::string_view b) {
  return std::make_pair(Rank(a), a) < std::make_pair(Rank(b), b);
}

Status PathSet::AddEntry(const Entry& entry, const std::string& where) {
  const auto [at, added] =
      by_lower_case_.try_emplace(LowerCase(entry.path), entry);
  if (added) {
    if (entry.kind == Kind::kFile || ++folder_count_ <= kFoldersMax) {
      return Ok();
    }
    return Error{ErrorKind::kLimitExceeded,
                 (where.empty() ? "" : where + ": ") +
                     "the files lie in more "
                     "than " +
                     std::to_string(kFoldersMax) + " folders",
                 ""};
  }
  const Entry& other = at->second;
  if (other.path == entry.path && other.kind == Kind::kFolder &&
      entry.kind == Kind::kFolder) {
    return Ok();
  }
  std::string message =
      where + (where.empty() ? "" : ": ") + "path " + entry.path;
  if (other.kind != entry.kind) {
    message += " is both a file and a folder";
  } else if (other.path == entry.path) {
    message += " stands twice";
  } else {
    message += " differs from " + other.path + " by case only";
  }
  return Error{ErrorKind::kCorrupt, message, ""};
}

Status PathSet::Add(const std::string& path, const std::string& where) {
  for (size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    EXHIBIT_RETURN_IF_ERROR(
        AddEntry({path.substr(0, slash), Kind::kFolder}, where));
  }
  return AddEntry({path, Kind::kFile}, where);
}

Result<std::vector<RunFile>> ListRun(const std::string& run,
                                     const ArchiveLimits& limits) {
  EXHIBIT_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                           ListBelow(run, limits));
  std::sort(paths.begin(), paths.end(), ComesBefore);
  PathSet names;
  std::vector<RunFile> files;
  uint64_t total_bytes = 0;
  for (const std::string& path : paths) {
    if (!IsRunPath(path)) {
      return Error{ErrorKind::kCorrupt,
                   "path " + QuoteText(path) + " cannot be archived",
                   "use at most 96 bytes of A-Z a-z 0-9 . _ / - and no part "
                   "that begins with -"};
    }
    EXHIBIT_RETURN_IF_ERROR(names.Add(path, ""));
    EXHIBIT_ASSIGN_OR_RETURN(const FileSource file,
                             FileSource::Open(run, path));
    if (file.size_bytes() > limits.member_bytes_max ||
        file.size_bytes() > limits.contents_bytes_max - total_bytes) {
      return Error{ErrorKind::kLimitExceeded,
                   path + ": has " + std::to_string(file.size_bytes()) +
                       " bytes; a file may have " +
                       std::to_string(limits.member_bytes_max) +
                       ", all files together " +
                       std::to_string(limits.contents_bytes_max),
                   ""};
    }
    total_bytes += file.size_bytes();
    files.push_back({path, file.size_bytes()});
  }
  return files;
}

Error InFolder(const std::string& folder, Error error) {
  const bool named =
      error.message.starts_with(folder) ||
      error.message.find(" " + folder + ":") != std::string::npos;
  if (!named) error.message.insert(0, folder + ": ");
  return error;
}

}  // namespace exhibit
