int other(int x) { return x; }
static int kernel_batch_hidden(int x) { return x; }
int (*use)(int) = kernel_batch_hidden;
int kernel_batch = 3;
