// The same as C++.
#include "tests/drop_in/stock_layout.c"
