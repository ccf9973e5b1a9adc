// The objects and libraries that the build made for these tests.

#ifndef EXHIBIT_TESTS_UNIT_IDENTITY_OBJECTS_H_
#define EXHIBIT_TESTS_UNIT_IDENTITY_OBJECTS_H_

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace exhibit {

// The bytes of objects/NAME; the test fails when it is not there.
inline std::string ReadBuilt(const std::string& name) {
  std::ifstream file(std::string(EXHIBIT_OBJECTS) + "/" + name,
                     std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// Names (without ending) of the kernels that are compiled and linked.
inline std::vector<std::string> KernelNames() {
  std::vector<std::string> names;
  std::istringstream list(EXHIBIT_KERNELS);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return names;
}

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_UNIT_IDENTITY_OBJECTS_H_
