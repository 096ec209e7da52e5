// The one translation unit that holds stb's code. Failure texts stay in:
// stbi_failure_reason() goes into our error messages.
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include "stb/stb_image.h"
#include "stb/stb_image_write.h"
