#include "archive/tool/machine_names.h"

#include <limits.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace exhibit {
namespace {

void AddVariable(const char* name, std::vector<std::string>& to) {
  const char* value = std::getenv(name);
  if (value != nullptr) to.emplace_back(value);
}

}  // namespace

MachineNames ThisMachinesNames() {
  MachineNames names;
  AddVariable("HOME", names.homes);
  for (const char* variable : {"USER", "LOGNAME", "SUDO_USER"}) {
    AddVariable(variable, names.users);
  }
  const passwd* entry = getpwuid(geteuid());
  if (entry != nullptr) {
    names.homes.emplace_back(entry->pw_dir);
    names.users.emplace_back(entry->pw_name);
  }
  // The shell's word may hold symbolic links that the system's does not.
  AddVariable("PWD", names.working_folders);
  std::array<char, PATH_MAX> folder;
  if (getcwd(folder.data(), folder.size()) != nullptr) {
    names.working_folders.emplace_back(folder.data());
  }
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) {
    const std::string full = host.data();
    names.hosts = {full, full.substr(0, full.find('.'))};
  }
  return names;
}

}  // namespace exhibit
