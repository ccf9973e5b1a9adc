static int zeroed[900];
int kernel_batch(int x) { return zeroed[x]++; }
