#include "archive/evidence_reader.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "archive/bundle.h"
#include "archive/gzip.h"
#include "archive/run_order.h"
#include "archive/tar_reader.h"
#include "archive/xz.h"

namespace exhibit {
namespace {

// Shows files to the visitor and keeps the account of them.
class Account {
 public:
  Account(const ArchiveLimits& limits, const EvidenceVisitor& visitor)
      : limits_(limits), visitor_(visitor) {}

  Status Add(const EvidenceFile& file, ByteSource& contents) {
    EXHIBIT_RETURN_IF_ERROR(Admit(file));
    HashingSource hashed(contents);
    EXHIBIT_RETURN_IF_ERROR(visitor_(file, hashed));
    EXHIBIT_ASSIGN_OR_RETURN(const uint64_t unread, Drain(hashed));
    (void)unread;  // The visitor is free to read any part.
    if (hashed.size_bytes() != file.size_bytes) {
      return Error{ErrorKind::kIo,
                   file.path + ": changed size while it was read",
                   "something writes to the run; wait until it has finished"};
    }
    summary_.contents_bytes += file.size_bytes;
    summary_.found[file.path] = hashed.FinishHex();
    return Ok();
  }

  EvidenceSummary& summary() { return summary_; }

 private:
  Status Admit(const EvidenceFile& file) const {
    const auto exceeded = [&file](const char* what, uint64_t limit) {
      return Error{ErrorKind::kLimitExceeded,
                   file.path + ": with its " + std::to_string(file.size_bytes) +
                       " bytes there are more than " + std::to_string(limit) +
                       " " + what,
                   ""};
    };
    if (summary_.found.size() >= limits_.member_count_max) {
      return exceeded("files", limits_.member_count_max);
    }
    if (file.size_bytes > limits_.member_bytes_max) {
      return exceeded("bytes in one file", limits_.member_bytes_max);
    }
    if (file.size_bytes >
        limits_.contents_bytes_max - summary_.contents_bytes) {
      return exceeded("bytes in all files", limits_.contents_bytes_max);
    }
    return Ok();
  }

  const ArchiveLimits& limits_;
  const EvidenceVisitor& visitor_;
  EvidenceSummary summary_;
};

// One of the two archives: which paths may stand in it, in which order.
class MemberOrder {
 public:
  MemberOrder(std::string name, PathSet& names)
      : name_(std::move(name)),
        sources_(name_ == kSourcesName),
        names_(names) {}

  // Returns the path relative to the run.
  Result<std::string> Admit(const TarMember& member) {
    const std::string where = name_ + ": member " + member.path;
    if (!member.path.starts_with(kRunPrefix)) {
      return Error{ErrorKind::kCorrupt, where + ": is not below run/", ""};
    }
    const std::string path = member.path.substr(kRunPrefix.size());
    if (IsSourcePath(path) != sources_) {
      return Error{
          ErrorKind::kCorrupt,
          where + ": belongs in " + (sources_ ? kEvidenceName : kSourcesName),
          ""};
    }
    EXHIBIT_RETURN_IF_ERROR(names_.Add(path, name_));
    if (!last_.empty() && !ComesBefore(last_, path)) {
      return Error{ErrorKind::kCorrupt,
                   where + ": stands after run/" + last_ + ", out of order",
                   ""};
    }
    last_ = path;
    return path;
  }

 private:
  const std::string name_;
  const bool sources_;
  PathSet& names_;
  std::string last_;
};

Status ReadIndex(TarReader& tar, const ArchiveLimits& limits,
                 EvidenceSummary& summary) {
  const std::string where =
      std::string(kEvidenceName) + ": " + std::string(kIndexMember);
  EXHIBIT_ASSIGN_OR_RETURN(const std::optional<TarMember> first, tar.Next());
  if (!first || first->path != kIndexMember) {
    return Error{ErrorKind::kCorrupt,
                 where + ": is not the first member, but " +
                     (first ? first->path : "there is none"),
                 ""};
  }
  EXHIBIT_ASSIGN_OR_RETURN(const std::string text,
                           ReadAll(tar, where, limits.index_bytes_max));
  EXHIBIT_ASSIGN_OR_RETURN(summary.stated, DecodeIndex(text, where));
  summary.content_id = ContentId(summary.stated);
  return Ok();
}

Status ReadMembers(TarReader& tar, MemberOrder order, Account& account) {
  for (;;) {
    EXHIBIT_ASSIGN_OR_RETURN(const std::optional<TarMember> member, tar.Next());
    if (!member) return Ok();
    EXHIBIT_ASSIGN_OR_RETURN(const std::string path, order.Admit(*member));
    EXHIBIT_RETURN_IF_ERROR(
        account.Add({path, member->size_bytes, tar.offset()}, tar));
  }
}

}  // namespace

Result<EvidenceSummary> ReadTarStreams(ByteSource& evidence,
                                       ByteSource& sources,
                                       const ArchiveLimits& limits,
                                       const EvidenceVisitor& visitor) {
  Account account(limits, visitor);
  PathSet names;
  TarReader evidence_tar(evidence, kEvidenceName);
  EXHIBIT_RETURN_IF_ERROR(ReadIndex(evidence_tar, limits, account.summary()));
  EXHIBIT_RETURN_IF_ERROR(
      ReadMembers(evidence_tar, MemberOrder(kEvidenceName, names), account));
  TarReader sources_tar(sources, kSourcesName);
  EXHIBIT_RETURN_IF_ERROR(
      ReadMembers(sources_tar, MemberOrder(kSourcesName, names), account));
  return std::move(account.summary());
}

Result<EvidenceSummary> ReadBundle(const std::string& bundle,
                                   const ArchiveLimits& limits,
                                   const EvidenceVisitor& visitor) {
  EXHIBIT_ASSIGN_OR_RETURN(FileSource evidence,
                           FileSource::Open(bundle, kEvidenceName));
  EXHIBIT_ASSIGN_OR_RETURN(FileSource sources,
                           FileSource::Open(bundle, kSourcesName));
  EXHIBIT_ASSIGN_OR_RETURN(const std::unique_ptr<XzSource> xz,
                           XzSource::Create(evidence, kEvidenceName, limits));
  EXHIBIT_ASSIGN_OR_RETURN(const std::unique_ptr<GzipSource> gzip,
                           GzipSource::Create(sources, kSourcesName, limits));
  return ReadTarStreams(*xz, *gzip, limits, visitor);
}

Result<EvidenceSummary> ReadRun(const std::string& run,
                                const ArchiveLimits& limits,
                                const EvidenceVisitor& visitor) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<RunFile> files,
                           ListRun(run, limits));
  Account account(limits, visitor);
  for (const RunFile& file : files) {
    EXHIBIT_ASSIGN_OR_RETURN(FileSource contents,
                             FileSource::Open(run, file.path));
    EXHIBIT_RETURN_IF_ERROR(
        account.Add({file.path, file.size_bytes, 0}, contents));
  }
  EvidenceSummary& summary = account.summary();
  summary.stated = summary.found;
  summary.content_id = ContentId(summary.stated);
  return std::move(summary);
}

std::vector<std::string> DigestDifferences(const FileDigests& stated,
                                           const FileDigests& found,
                                           const std::string& name) {
  std::map<std::string, std::string> by_path;
  for (const auto& [path, digest] : stated) {
    const auto at = found.find(path);
    if (at == found.end()) {
      by_path[path] = path + ": stands in " + name + " but is missing";
    } else if (at->second != digest) {
      by_path[path] = path + ": has SHA-256 " + at->second + ", " + name +
                      " says " + digest;
    }
  }
  for (const auto& [path, digest] : found) {
    if (stated.count(path) == 0) {
      by_path[path] = path + ": does not stand in " + name;
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [path, sentence] : by_path) sentences.push_back(sentence);
  return sentences;
}

std::vector<std::string> IndexDifferences(const EvidenceSummary& summary) {
  return DigestDifferences(summary.stated, summary.found,
                           std::string(kIndexMember));
}

}  // namespace exhibit
