// A folder that appears whole or not at all.

#ifndef EXHIBIT_ARCHIVE_STAGING_H_
#define EXHIBIT_ARCHIVE_STAGING_H_

#include <string>
#include <utility>

#include "manifests/result.h"

namespace exhibit {

// Is filled under a hidden name beside its target and then renamed. What was
// not published is removed when this is destroyed.
class StagingFolder {
 public:
  // Fails with kInvalidArgument when `target` exists, and with kNotFound when
  // the folder it would lie in does not.
  static Result<StagingFolder> Create(const std::string& target);
  StagingFolder(StagingFolder&& other) noexcept;
  StagingFolder& operator=(StagingFolder&&) = delete;
  ~StagingFolder();

  const std::string& path() const { return path_; }

  // Gives the folder its name, unless something has taken that meanwhile.
  // Files and folders in it must have been synced. Nothing may follow.
  Status Publish();

 private:
  StagingFolder(std::string path, std::string target)
      : path_(std::move(path)), target_(std::move(target)) {}

  std::string path_;  // Empty once published or moved from.
  std::string target_;
};

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_STAGING_H_
