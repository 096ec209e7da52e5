// The same as C++.
#include "consumer.c"
