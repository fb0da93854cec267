"""A run on many machines: every task of the graph is a Ray task, which waits for those that it needs.

A run is sent to worker processes once (`job`), each makes sure that it computes what the machine that
started the run would (`sameness`) and does one task after another (`process`). Files stay in the run's folder
where machines share it, and travel with the tasks where they do not (`files`).
"""

import os

from bench.errors import InputError

RETRIES = 3
"""How often a task is tried again whose worker process died."""

# Read when Ray is imported. What is too large for a machine's memory would be tried for ever; a machine whose
# cores are at work already would be given up while Ray starts; and what Ray logs goes to its files.
os.environ.setdefault("RAY_task_oom_retries", str(RETRIES))
os.environ.setdefault("RAY_raylet_start_wait_time_s", "120")
os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")

try:
    import ray  # noqa: F401
except ImportError:
    raise InputError("--executor ray needs Ray; `pip install 'trap-bench[ray]'` installs it") from None

from bench.cluster.runner import RayRunner  # noqa: E402 - its modules import Ray

__all__ = ["RETRIES", "RayRunner"]
