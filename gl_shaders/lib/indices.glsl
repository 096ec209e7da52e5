// Arithmetic of indices.

// a / b from 1 / b, for 0 <= a < 2^21 (kQuotientEnd of delegate/ops/quotient.h): an
// integer's division takes a GPU some 20 instructions. a + 0.5 is exact, and its
// quotient is 0.5 / b at least from the next integer. Two roundings of 2^-23 or
// less each move it by less than that.
int op_quotient(int a, float reciprocal) {
  return int((float(a) + 0.5) * reciprocal);
}
