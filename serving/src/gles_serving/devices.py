"""Which `device` of the delegate a GPU of the scheduler's is. Needs nothing but Python."""

from typing import Any, Optional, Sequence


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
