"""Serves .tflite models with gles_delegate on KServe's model server.

batcher needs nothing but Python, config pydantic; engine, tensors and images need numpy; the
other modules need kserve. `python -m gles_serving --help` lists the server's flags.
"""

__version__ = "1.0.0"
