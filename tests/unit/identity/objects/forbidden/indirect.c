static int one(int x) { return x + 1; }
static void *choose(void) { return (void *)one; }
int chosen(int x) __attribute__((ifunc("choose")));
int kernel_batch(int x) { return chosen(x); }
