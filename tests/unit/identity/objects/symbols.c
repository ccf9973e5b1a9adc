// Every way a symbol can be reached: through .got and .plt, by address in
// data, hidden, protected, weak, and by a table of jumps.
typedef __SIZE_TYPE__ size_t;
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
void *memmove(void *, const void *, size_t);

int seen = 7;
int seen_zeroed;
int seen_array[100];
static int unseen = 3;
__attribute__((visibility("hidden"))) int hidden = 4;

int *pointers[3] = {&seen, &seen_array[5], &seen_zeroed};
int *pointer = &unseen;
void *(*copy)(void *, const void *, size_t) = memcpy;

int reads(void) { return seen + seen_zeroed++; }
__attribute__((visibility("hidden"))) int hides(int x) { return x * seen; }
__attribute__((visibility("protected"))) int protects(int x) { return x + 1; }
__attribute__((weak)) int weakens(int x) { return protects(x) + 2; }
int calls(int x) { return hides(x) + hidden + weakens(x); }
void *takes(void) { return (void *)memset; }
void moves(void *to, void *from) { memmove(to, from, 777); }
int jumps(int x) {
  switch (x) {
    case 0: return 5;
    case 1: return 99;
    case 2: return 12;
    case 3: return 3;
    case 4: return calls(1);
    case 5: return 8;
    case 6: moves(0, 0); return 8;
  }
  return 0;
}
int (*const entries[])(int) = {jumps, calls, protects};
int kernel_batch(int i) { return entries[i](i); }
