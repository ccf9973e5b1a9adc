/* output = 2.5 * x + y: the smallest custom program that entry.h can carry.
 *
 * One program instance is one run of ELEMENTS_PER_INSTANCE elements. */
#include "exhibit/entry.h"

enum { ELEMENTS_PER_INSTANCE = 64 };

void scale_add(const exhibit_buffer *buffers, void *reserved,
               const exhibit_launch *launch, uint32_t count) {
  (void)reserved;
  const float *x = (const float *)buffers[0].data;
  const float *y = (const float *)buffers[1].data;
  float *restrict output = (float *)buffers[2].data;
  uint32_t first = launch->block_id[0] * launch->block_size[0];
  uint32_t end = first + count * launch->block_size[0];
  if (end > launch->dispatch_size[0]) end = launch->dispatch_size[0];
  for (uint32_t i = first * ELEMENTS_PER_INSTANCE;
       i < end * ELEMENTS_PER_INSTANCE; ++i) {
    output[i] = 2.5f * x[i] + y[i];
  }
}
