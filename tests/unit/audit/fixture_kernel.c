/* A library that the audit looks at and never runs. FIXTURE_VALUE makes two of
 * them differ. */
#include "manifests/entry.h"

void fixture_entry(const exhibit_buffer *buffers, void *reserved,
                   const exhibit_launch *launch, uint32_t count) {
  (void)reserved;
  (void)launch;
  ((float *)buffers[3].data)[0] = (float)count + FIXTURE_VALUE;
}
