"""The fixtures `thole`, `manual_thole` and `thole_server`: a server that is started once, and forked for each test."""

import base64
import contextlib
import json
import os
import shlex
import signal
import ssl
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import kubernetes
import pytest
import yaml


class Thole:
    """A server with its test control. `api_client` is for the classes of the official client, as a member of system:masters."""

    def __init__(self, control, token, kubeconfig):
        self._control, self._token = control, token
        config = yaml.safe_load(kubeconfig)
        authority = base64.b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"]).decode()
        self._trust = ssl.create_default_context(cadata=authority)
        self.api_client = kubernetes.config.new_client_from_config_dict(config)

    @contextlib.contextmanager
    def fork(self, **options):
        """A server of its own with the same objects. With clock="manual" its time stands still until it is advanced.

        With seed=7, uids and generated names are the same in each run.
        """
        made = self.send("POST", "forks", options)
        fork = Thole(f"{made['url']}/test", self._token, made["kubeconfig"])
        try:
            yield fork
        finally:
            fork.api_client.close()
            self.send("DELETE", f"forks/{made['id']}")

    def load(self, manifests):
        """Creates the objects of manifests in YAML, in the order of what they need."""
        return self.send("POST", "load", {"manifests": manifests})["objects"]

    def now(self):
        """The time of the server, in RFC 3339."""
        return self.send("GET", "clock")["now"]

    def advance(self, by):
        """Advances the time of a fork with a manual clock, such as by "1h30m", and waits for the work that was due until then."""
        self.send("POST", "clock/advance", {"by": by})

    def fault(self, **rule):
        """Adds a rule of faults: which requests meet which fault."""
        self.send("POST", "faults/rules", rule)

    def record(self):
        """Begins a recording. The function that it returns lists the requests that match, such as verb="update", resource="widgets"."""
        made = self.send("POST", "recordings")
        return lambda **match: self.send("GET", f"recordings/{made['id']}/requests?{urllib.parse.urlencode(match)}")["requests"]

    def send(self, method, path, body=None):
        """Sends a request to the control. /test/openapi.json has all of them."""
        request = urllib.request.Request(
            f"{self._control}/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, context=self._trust) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} /test/{path}: {error.code} {error.read().decode()}") from None


def connect(names):
    with open(names["KUBECONFIG"]) as file:
        return Thole(names["THOLE_TEST_URL"], names["THOLE_TEST_TOKEN"], file.read())


@pytest.fixture(scope="session")
def thole_server():
    """The server that the variables THOLE_TEST_URL, THOLE_TEST_TOKEN and KUBECONFIG name; without them, one that is started for the whole run.

    The command is not npx, which does not pass signals on.
    """
    if "THOLE_TEST_URL" in os.environ:
        yield connect(os.environ)
        return
    command = shlex.split(os.environ.get("THOLE", "node_modules/.bin/thole"))
    # The server ends when its standard input closes, even if the tests are killed.
    flags = ["--test-control", "--data-dir=:memory:", "--secure-port=0", "--exit-on-stdin-close"]
    process = subprocess.Popen([*command, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        printed = {}
        for line in process.stdout:
            name, _, value = line.removeprefix("export ").strip().partition("=")
            printed[name] = value
            if name == "KUBECONFIG":
                break
        else:
            pytest.fail(f"the server ended with {process.wait()} before it was ready")
        yield connect(printed)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


@pytest.fixture
def thole(thole_server):
    """A fork for one test."""
    with thole_server.fork() as fork:
        yield fork


@pytest.fixture
def manual_thole(thole_server):
    """A fork for one test, whose time stands still until it is advanced."""
    with thole_server.fork(clock="manual") as fork:
        yield fork
