"""The fixture `cluster`: a simulated cluster in memory, with the configuration of the official client."""

import os
import shlex
import signal
import subprocess

import kubernetes
import pytest


@pytest.fixture(scope="session")
def cluster():
    """Starts a simulated cluster for the whole run. Yields the path of its kubeconfig.

    The command is not npx, which does not pass signals on.
    """
    command = shlex.split(os.environ.get("THOLE", "node_modules/.bin/thole"))
    # The server ends when its standard input closes, even if the tests are killed.
    flags = ["--simulate", "--data-dir=:memory:", "--secure-port=0", "--exit-on-stdin-close"]
    process = subprocess.Popen([*command, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        for line in process.stdout:
            if line.startswith("export KUBECONFIG="):
                path = line.removeprefix("export KUBECONFIG=").strip()
                kubernetes.config.load_kube_config(path)
                yield path
                break
        else:
            pytest.fail(f"the server ended with {process.wait()} before it was ready")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
