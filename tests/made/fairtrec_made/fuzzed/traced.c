/* What gcc calls at each edge of a traced library: which edges were passed. */
#include <stdint.h>

uint8_t passed[1 << 12];

__attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc(void) {
    passed[(uint64_t)(uintptr_t)__builtin_return_address(0) * 0x9E3779B97F4A7C15u >> 52] = 1;
}
