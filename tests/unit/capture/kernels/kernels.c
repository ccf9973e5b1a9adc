/* Kernels for the tests of capture: one that is right, and one for each way to
 * be wrong. All take x (input) and y (output), one element per instance. */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "manifests/entry.h"

static size_t first_of(const exhibit_launch *launch) {
  return (size_t)launch->block_id[0] * launch->block_size[0];
}

static size_t end_of(const exhibit_launch *launch, uint32_t count) {
  size_t end = first_of(launch) + (size_t)count * launch->block_size[0];
  return end < launch->dispatch_size[0] ? end : launch->dispatch_size[0];
}

#define KERNEL(name)                                       \
  void name(const exhibit_buffer *buffers, void *reserved, \
            const exhibit_launch *launch, uint32_t count)

#define PREPARE                             \
  float *x = (float *)buffers[0].data;      \
  float *y = (float *)buffers[1].data;      \
  size_t i = first_of(launch);              \
  const size_t end = end_of(launch, count); \
  (void)reserved

KERNEL(twice) {
  PREPARE;
  for (; i < end; ++i) y[i] = x[i] + x[i];
}

/* The same values through the workspace, which the caller must offer. */
KERNEL(twice_in_workspace) {
  PREPARE;
  volatile float *workspace = (volatile float *)launch->workspace;
  for (; i < end; ++i) {
    workspace[i] = x[i];
    y[i] = workspace[i] + workspace[i];
  }
}

/* Within tolerance, but other bits. */
KERNEL(almost_twice) {
  PREPARE;
  for (; i < end; ++i) y[i] = nextafterf(x[i] + x[i], 10.0f);
}

KERNEL(thrice) {
  PREPARE;
  for (; i < end; ++i) y[i] = x[i] + x[i] + x[i];
}

KERNEL(forgets_the_last) {
  PREPARE;
  for (; i + 1 < end; ++i) y[i] = x[i] + x[i];
}

KERNEL(makes_nan) {
  PREPARE;
  for (; i < end; ++i) y[i] = i == 7 ? NAN : x[i] + x[i];
}

KERNEL(writes_past_the_output) {
  PREPARE;
  for (; i < end; ++i) y[i] = x[i] + x[i];
  y[end] = 1.0f;
}

KERNEL(writes_to_its_input) {
  PREPARE;
  for (; i < end; ++i) {
    y[i] = x[i] + x[i];
    ((volatile float *)x)[i] = 0.0f;
  }
}

KERNEL(crashes) {
  PREPARE;
  (void)x;
  (void)y;
  (void)i;
  (void)end;
  abort();
}

KERNEL(hangs) {
  PREPARE;
  (void)x;
  (void)y;
  (void)i;
  (void)end;
  for (volatile int forever = 1; forever;) {
  }
}

KERNEL(leaves) {
  PREPARE;
  (void)x;
  (void)y;
  (void)i;
  (void)end;
  _exit(3);
}

/* Right, but not before the file that a test holds is gone. */
KERNEL(twice_when_released) {
  PREPARE;
  const char *hold = getenv("CAPTURE_TEST_HOLD");
  while (hold != NULL && access(hold, F_OK) == 0) usleep(10000);
  for (; i < end; ++i) y[i] = x[i] + x[i];
}
