int kernel_batch(int x) { return x + 2; }
