// What may disturb a measurement on this machine, and the command that would
// fix it. Nothing is changed here.

#ifndef EXHIBIT_REPLAY_DISTURBANCE_H_
#define EXHIBIT_REPLAY_DISTURBANCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "manifests/records.h"

namespace exhibit {

// What the warnings rest on.
struct Surroundings {
  HostFacts host;
  HostState state;
  int64_t cpu = 0;           // The one that visits are pinned to.
  bool only_cpu = false;     // This process may run on no other.
  std::string cpu_siblings;  // Threads of its core, as "2,6" or "2-3"; or "".
};

// Reads the siblings of `cpu`, the load and the allowed CPUs.
Surroundings ProbeSurroundings(const HostFacts& host, int64_t cpu);

// One sentence per disturbance, each with a command; empty when all is quiet.
std::vector<std::string> Disturbances(const Surroundings& surroundings);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_DISTURBANCE_H_
