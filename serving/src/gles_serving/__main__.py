"""python -m gles_serving: the server."""

import sys

from gles_serving.server import main

if __name__ == "__main__":
    sys.exit(main())
