/* The entry ABI: how a prepared library is called.
 *
 * A prepared library exports one entry. exhibit-replay fills the structures
 * below and calls the entry on one thread; it is the only definition of this
 * ABI, is installed with the tools, and is valid C11 and C++20.
 *
 * The work is a grid of `dispatch_size[0]` program instances, divided into
 * blocks of `block_size[0]` instances (the last block may be partly outside the
 * dispatch). One call computes `count` consecutive blocks, flattened x-major,
 * starting with `block_id`. The y and z extents are 1 today.
 *
 * The entry must not change the structures, must keep no state between calls,
 * must not rely on what the workspace holds, and must write nothing but output
 * buffers and the workspace: inputs are mapped read-only and every buffer
 * stands between guards that are checked.
 */
#ifndef EXHIBIT_ENTRY_H_
#define EXHIBIT_ENTRY_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct exhibit_buffer {
  void *data;     /* 64-byte aligned. */
  uint64_t bytes; /* Exactly the array: row-major, no padding. */
} exhibit_buffer;

typedef struct exhibit_launch {
  uint32_t block_id[3];      /* First block of this call. */
  uint32_t dispatch_size[3]; /* Program instances in all. */
  uint32_t block_size[3];    /* Instances in a block. */
  uint32_t grid_size[3];     /* Blocks in all: ceil(dispatch / block). */
  uint32_t thread_index;     /* 0: replay uses one thread. */
  uint32_t reserved;         /* 0. */
  void *workspace;           /* 64-byte aligned, or NULL when 0 bytes were asked for. */
} exhibit_launch;

/* buffers: in the order in which the case declares them.
 * reserved: NULL.
 * count: blocks to compute, from launch->block_id on. */
typedef void exhibit_entry(const exhibit_buffer *buffers, void *reserved,
                           const exhibit_launch *launch, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif /* EXHIBIT_ENTRY_H_ */
