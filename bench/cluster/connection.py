"""The way into a Ray cluster: one that runs already, or one that is started for this run."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import Any

import ray

from bench.device import pick_device
from bench.errors import InputError, RunError

PATIENCE = 5.0
"""Seconds within which an address has to answer."""

HTTP2_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
SETTINGS_FRAME = 4


@contextmanager
def cluster(address: str | None) -> Iterator[None]:
    """Within it, this process is in a cluster: that at the address, or one on this machine alone.

    A process that is in one before is left in it.

    Raises:
        InputError: there is none at the address, or it does not take this process.
        RunError: none can be started here.
    """
    if address is not None:
        _require_answer(address)
    if ray.is_initialized():
        yield
        return
    try:
        if address is None:
            _start()
        else:
            _join(address)
        yield
    finally:
        ray.shutdown()


def device_of(address: str | None) -> str:
    """The type of device that the cluster at an address trains on; without one, this machine's.

    Raises:
        InputError: as `cluster`.
    """
    if address is None:
        return pick_device().type
    with cluster(address):
        return "cuda" if has_gpus() else "cpu"


def has_gpus() -> bool:
    """Whether a machine of the cluster has one."""
    resources: Any = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return bool(resources.get("GPU"))


def _require_answer(address: str) -> None:
    """Make sure that a cluster may be at an address: Ray itself would try for minutes, then end the process.

    Raises:
        InputError: it is no address, nothing answers, or what answers is something else.
    """
    if address == "auto":
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise InputError(f"--address {address} is not of the form HOST:PORT, ray://HOST:PORT or auto")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), PATIENCE) as line:
            line.sendall(HTTP2_GREETING)
            answer = line.recv(9)
    except (OSError, OverflowError) as error:
        raise InputError(f"--address {address} cannot be reached: {error}") from None
    secured = os.environ.get("RAY_USE_TLS", "0") != "0"
    if not secured and answer[3:4] != bytes([SETTINGS_FRAME]):
        raise InputError(f"--address {address}: what answers there is not Ray; its port is 6379 by default")


def _start() -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Processes started here have the environment of this one, its number of threads included.
    try:
        with _silent():
            ray.init(
                address="local", include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR
            )
    except Exception as error:
        raise RunError(f"Ray does not start here: {_shortened(error)}") from None


def _join(address: str) -> None:
    threads = {name: value for name, value in os.environ.items() if name == "OMP_NUM_THREADS"}
    environment: dict[str, Any] | None = {"env_vars": threads} if threads else None
    try:
        with _silent():
            ray.init(
                address=address, log_to_driver=False, logging_level=logging.ERROR, runtime_env=environment
            )
    except Exception as error:
        hint = "" if address == "auto" else "; where it asks for a token, set RAY_AUTH_MODE=token"
        raise InputError(f"--address {address}: Ray does not join: {_shortened(error)}{hint}") from None


@contextmanager
def _silent() -> Iterator[None]:
    """Within it, nothing reaches stderr: Ray's own code writes there as it starts and while it is refused."""
    with TemporaryFile() as sink:
        stderr = os.dup(2)
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)


def _shortened(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
