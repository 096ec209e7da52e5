"""Serves .tflite models with gles_delegate on KServe's model server.

config and batcher need nothing but Python; engine, tensors and images need numpy; the
other modules need kserve. `python -m gles_serving --help` lists the server's flags.
"""

__version__ = "1.0.0"
