/* output[i] = 2 * x[i] + 1, until something goes wrong.
 *
 * FAULT names what goes wrong and FAULT_AFTER after how many good calls, so
 * that a capture's single call can pass where a visit fails. Keeps state
 * between calls, which a real entry must not. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manifests/entry.h"

#define NONE 0
#define WRITES_NAN 1
#define WRITES_NOTHING 2
#define WRITES_ZEROS 3
#define WRITES_PAST_END 4
#define CHANGES_INPUT 5
#define CRASHES 6
#define NEVER_RETURNS 7
#define EXITS 8
#define WRONG_ELEMENT 9
#define CHANGES_LAUNCH 10
#define READS_PAST_END 11
#define WRITES_PAST_WORKSPACE 12
#define TALKS 13
#define ABORTS 14
#define LEAVES_A_CHILD 15
#define LEAVES_A_THREAD 16
#define JOINS_A_THREAD 17
#define WAITS_FOR_A_CHILD 18
#define TAKES_MEMORY 19
#define LEAKS 20

#ifndef FAULT_AFTER
#define FAULT_AFTER 0
#endif
#ifndef SLEEP_US
#define SLEEP_US 0
#endif

/* Where LeakSanitizer is, it would take what LEAKS loses for its own. */
extern void __lsan_ignore_object(const void *) __attribute__((weak));

static int calls;

static void *spin(void *unused) {
  (void)unused;
  for (volatile int i = 0; i < 2000000; ++i) continue;
  return NULL;
}

static void *rest(void *unused) {
  (void)unused;
  for (;;) pause();
  return NULL;
}

static void misbehave(const exhibit_buffer *buffers,
                      const exhibit_launch *launch) {
  volatile float *x = (volatile float *)buffers[0].data;
  volatile float *output = (volatile float *)buffers[1].data;
  uint64_t length = buffers[1].bytes / sizeof(float);
  (void)x;
  (void)launch;
  switch (FAULT) {
    case WRITES_NAN:
      output[1] = __builtin_nanf("");
      break;
    case WRITES_ZEROS:
      for (uint64_t i = 0; i < length; ++i) output[i] = 0.0f;
      break;
    case WRITES_PAST_END:
      output[length] = 1.0f;
      break;
    case CHANGES_INPUT:
      x[0] = 7.0f;
      break;
    case CRASHES:
      *(volatile int *)0 = 1;
      break;
    case NEVER_RETURNS:
      for (;;) pause();
    case EXITS:
      exit(0);
    case WRONG_ELEMENT:
      output[length - 1] += 1.0f;
      break;
    case CHANGES_LAUNCH:
      ((volatile exhibit_launch *)launch)->reserved = 1;
      break;
    case READS_PAST_END:
      output[0] = x[length + 64];
      break;
    case WRITES_PAST_WORKSPACE:
      ((volatile char *)launch->workspace)[-1] = 0;
      break;
    case TALKS:
      for (int fd = 0; fd < 8; ++fd) {
        if (fd != 3 && fd != 4 && write(fd, "noise\n", 6) < 0) continue;
      }
      printf("more noise\n");
      fflush(stdout);
      break;
    case ABORTS:
      abort();
    case LEAVES_A_CHILD:
      if (fork() == 0) {
        printf("from the child\n");
        sleep(30);
        _exit(0);
      }
      break;
    case LEAVES_A_THREAD: {
      pthread_t thread;
      if (pthread_create(&thread, NULL, rest, NULL) != 0) abort();
      break;
    }
    case JOINS_A_THREAD: {
      pthread_t thread;
      if (pthread_create(&thread, NULL, spin, NULL) != 0) abort();
      pthread_join(thread, NULL);
      break;
    }
    case WAITS_FOR_A_CHILD: {
      pid_t child = fork();
      if (child == 0) _exit(0);
      waitpid(child, NULL, 0);
      break;
    }
    case TAKES_MEMORY:
      /* Twice what a kernel may take. */
      *(volatile char *)malloc((size_t)1 << 31) = 1;
      break;
    case LEAKS: {
      volatile char *lost = malloc(65536);
      for (int i = 0; i < 65536; ++i) lost[i] = 1;
      if (__lsan_ignore_object) __lsan_ignore_object((const void *)lost);
      break;
    }
    default:
      break;
  }
}

void entry(const exhibit_buffer *buffers, void *reserved,
           const exhibit_launch *launch, uint32_t count) {
  (void)reserved;
  ++calls;
  if (SLEEP_US > 0) usleep(SLEEP_US);
  int broken = FAULT != NONE && calls > FAULT_AFTER;
  /* Children and threads, once and not on every call. */
  if (FAULT >= LEAVES_A_CHILD && FAULT <= WAITS_FOR_A_CHILD &&
      calls > FAULT_AFTER + 1) {
    broken = 0;
  }
  if (broken && FAULT == WRITES_NOTHING) return;
  const float *x = (const float *)buffers[0].data;
  float *output = (float *)buffers[1].data;
  uint32_t first = launch->block_id[0] * launch->block_size[0];
  uint32_t end = first + count * launch->block_size[0];
  if (end > launch->dispatch_size[0]) end = launch->dispatch_size[0];
  memset(launch->workspace, 1, 64);
  for (uint32_t i = first; i < end; ++i) output[i] = 2.0f * x[i] + 1.0f;
  if (broken) misbehave(buffers, launch);
}
