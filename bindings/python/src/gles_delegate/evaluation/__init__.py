"""Tasks on folders of images, on the CPU and with the delegate side by side.

    python -m gles_delegate.evaluation classification --help
    python -m gles_delegate.evaluation detection --help

needs NumPy, Pillow, tqdm and, for detection, pycocotools: the extra "evaluation" of the wheel.
"""


class EvaluationError(RuntimeError):
    """The input cannot be evaluated; the text says why and what to do."""
