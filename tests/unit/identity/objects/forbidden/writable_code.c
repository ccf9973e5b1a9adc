__asm__(".section .text.w,\"awx\",@progbits\n.byte 0xc3\n.text\n");
int kernel_batch(int x) { return x; }
