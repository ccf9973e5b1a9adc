static int ready;
__attribute__((constructor)) static void start(void) { ready = 1; }
int kernel_batch(int x) { return x + ready; }
