__attribute__((section("own"))) int mine = 3;
int kernel_batch(int x) { return x + mine; }
