int shared_by_all;
int kernel_batch(int x) { return x + shared_by_all; }
