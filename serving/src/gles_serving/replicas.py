"""Ray Serve's replicas of a model: how many there are, and on which device. Needs nothing but Python."""

import argparse
from typing import Any, Dict, List, Optional, Sequence


def replica_counts(text: str) -> List[int]:
    """[N], or [LEAST, MOST] of "LEAST:MOST".

    Raises argparse.ArgumentTypeError where the text is neither.
    """
    counts = [int(part) if part.isdecimal() else 0 for part in text.split(":")]
    if len(counts) > 2 or counts[0] < 1 or counts[-1] < counts[0]:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number of replicas nor LEAST:MOST, both 1 or more")
    return counts


def number_of_replicas(args: argparse.Namespace) -> Dict[str, Any]:
    """The options of serve.deployment() that say how many replicas there are."""
    if len(args.replicas) == 1:
        return {"num_replicas": args.replicas[0]}
    return {"autoscaling_config": {
        "min_replicas": args.replicas[0], "max_replicas": args.replicas[1],
        "target_ongoing_requests": args.target_requests,
        "upscale_delay_s": args.upscale_delay, "downscale_delay_s": args.downscale_delay}}


def device_for(gpu_ids: Sequence[Any], listed: Sequence[str], found: Sequence[Any]
               ) -> Optional[str]:
    """The delegate's option `device` for the first of Ray's `gpu_ids`; None where Ray gave none.

    listed: the devices of GPU 0, 1, ..., as the administrator knows them; else those of `found`
    (gles_delegate.devices()) that are hardware, the EGL devices among them first, in their order.
    CUDA_VISIBLE_DEVICES, which Ray sets, means nothing to EGL.

    Raises ValueError where there is no such GPU.
    """
    if not gpu_ids:
        return None
    number = int(gpu_ids[0])
    if not listed:
        usable = [device for device in found if not device.software and not device.error]
        egl = [device for device in usable if device.description.startswith("EGL device")]
        listed = [str(device.index) for device in egl or usable]
    if number >= len(listed):
        raise ValueError(f"Ray gave GPU {number}, and the delegate has "
                         f"{', '.join(listed) or 'no hardware'}; --devices names them")
    return listed[number]
