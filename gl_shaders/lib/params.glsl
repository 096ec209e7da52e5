// Of a .comp that declares no block, as its op has no values of its own.
layout(std140, binding = 0) uniform Params { COMMON_PARAMS };
