"""What a run would take, before it runs: tokens, FLOPs, memory, disk and time of every task."""

from bench.estimates.cost import Cost, Estimator
from bench.estimates.devices import DEVICES, Device, device_named
from bench.estimates.forecast import Forecast, make_forecast

__all__ = ["DEVICES", "Cost", "Device", "Estimator", "Forecast", "device_named", "make_forecast"]
