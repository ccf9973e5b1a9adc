// The shape of a captured kernel: two entries, a clone with a section of its
// own, constants, strings, zeroed and initialised data, imported copies.
typedef __SIZE_TYPE__ size_t;
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);

static const float table[16] = {1, 2,  3,  4,  5,  6,  7,  8,
                                9, 10, 11, 12, 13, 14, 15, 16};

static void clone(float *, const float *, long) __asm__("kernel.packet.full");
static __attribute__((noinline, noclone)) void clone(float *to,
                                                     const float *from,
                                                     long count) {
  for (long i = 0; i < count; ++i) to[i] = from[i] * 3.5f + table[i & 15];
}

void kernel_batch(float *to, const float *from, long count) {
  if (count == 32) {
    clone(to, from, 32);
  } else {
    memcpy(to, from, (size_t)count * 4);
  }
}

void kernel_blocks(float *to, const float *from, long count, int blocks) {
  for (int i = 0; i < blocks; ++i) kernel_batch(to + i * count, from, count);
  memset(to, blocks, (size_t)count);
}

const char *kernel_name(int i) {
  static const char *const names[] = {"first", "second", "third"};
  return names[i];
}

static int zeroed[40];
static int initialised = 5;
int kernel_count(int i) { return zeroed[i]++ + initialised++; }
