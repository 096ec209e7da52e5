"""How many replicas of a model Ray Serve is to run."""

import argparse
from typing import Any, Dict, List


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
