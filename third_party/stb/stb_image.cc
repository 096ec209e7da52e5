// The one translation unit that holds stb's code. Failure texts stay in:
// stbi_failure_reason() goes into our error messages.
#define STB_IMAGE_IMPLEMENTATION
// Formats that the tools name; each other decoder is code that a file can
// reach.
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#define STBI_ONLY_BMP
// stb_image 2.27 reads tables that a file need not have filled: zeros, then,
// not whatever the memory held.
#define STBI_MALLOC(size) std::calloc(1, size)
#define STBI_REALLOC(block, size) std::realloc(block, size)
#define STBI_FREE(block) std::free(block)
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include "stb/stb_image.h"

#include <cstdlib>

#include "stb/stb_image_write.h"
