"""python -m gles_serving: the server."""

from gles_serving.server import main

if __name__ == "__main__":
    main()
