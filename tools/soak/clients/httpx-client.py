"""Requests of httpx over HTTP/2 and HTTP/1.1: reads, writes, watches that end early, new connections.

Reads its configuration, one line of JSON, from standard input; the end of standard input ends it. Then it prints a report, one line of JSON.
"""

import json
import ssl
import sys
import threading
import time

import httpx

FAULTS_MAX = 1000
REQUEST_SECONDS = 30
ROUNDS_OF_A_CONNECTION = 20


class Tally:
    def __init__(self):
        self.counts, self.faults, self.failures = {}, [], []
        self.lock = threading.Lock()

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def fault(self, text):
        with self.lock:
            if len(self.faults) < FAULTS_MAX:
                self.faults.append(text)

    def failed(self, text):
        with self.lock:
            if len(self.failures) < FAULTS_MAX:
                self.failures.append({"at": int(time.time() * 1000), "text": text})


def lost_to_goaway(error):
    """httpx fails the requests in progress at a GOAWAY, whatever its last stream is, and sends none of them again."""
    return isinstance(error, httpx.ProtocolError) and ("ConnectionTerminated error_code:0" in str(error) or "ConnectionState.CLOSED" in str(error))


def one_round(client, path, name, tally, version):
    """Creates, reads, lists and deletes an object, and reads the first events of a watch."""

    def checked(response, *expected):
        tally.count(f"HTTP/{version}")
        if response.http_version != ("HTTP/2" if version == "2" else "HTTP/1.1"):
            tally.fault(f"{response.http_version} and not HTTP/{version}")
        if response.status_code not in expected:
            raise RuntimeError(f"{response.request.method} {response.request.url.path} was answered with {response.status_code}")
        return response

    # 409: an earlier round failed before its deletion.
    checked(client.post(path, json={"metadata": {"name": name}, "data": {"of": "httpx"}}), 201, 409)
    found = checked(client.get(f"{path}/{name}"), 200).json()
    if found["metadata"]["name"] != name or found["data"] != {"of": "httpx"}:
        tally.fault(f"read {found}")
    listed = checked(client.get(path), 200).json()
    if name not in [item["metadata"]["name"] for item in listed["items"]]:
        tally.fault(f"a list without {name}")
    after = listed["metadata"]["resourceVersion"]
    with client.stream("GET", path, params={"watch": "1", "resourceVersion": after, "timeoutSeconds": "5"}) as events:
        checked(events, 200)
        # The second request of an HTTP/2 connection; HTTP/1.1 opens another one.
        checked(client.delete(f"{path}/{name}"), 200)
        for line in events.iter_lines():
            event = json.loads(line)
            if event["object"]["metadata"]["name"] == name:
                if event["type"] != "DELETED" or int(event["object"]["metadata"]["resourceVersion"]) <= int(after):
                    tally.fault(f"the event {event} after {after}")
                tally.count("events")
                break  # The rest of the watch is cancelled.
        else:
            tally.fault(f"no event of {name} after {after}")
    checked(client.get(f"{path}/{name}"), 404)


def requests(config, version, tally, over):
    context = ssl.create_default_context(cafile=config["caFile"])
    path = f"/api/v1/namespaces/{config['namespace']}/configmaps"
    while not over.is_set():
        with httpx.Client(
            base_url=config["url"],
            verify=context,
            http1=version == "1.1",
            http2=version == "2",
            headers={"authorization": f"Bearer {config['token']}"},
            timeout=REQUEST_SECONDS,
        ) as client:
            for _ in range(ROUNDS_OF_A_CONNECTION):
                try:
                    one_round(client, path, f"httpx-{version.replace('.', '-')}", tally, version)
                except Exception as error:  # Any failure is judged by its time: a restart explains it.
                    if lost_to_goaway(error):
                        tally.count("rounds lost to a GOAWAY")
                        break
                    tally.failed(f"HTTP/{version}: {type(error).__name__} {error}")
                if over.wait(config["pauseMs"] / 1000):
                    break


def main():
    config = json.loads(sys.stdin.readline())
    tally, over = Tally(), threading.Event()
    threads = [threading.Thread(target=requests, args=(config, version, tally, over)) for version in ("2", "1.1")]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    over.set()
    for thread in threads:
        thread.join()
    print(json.dumps({"counts": tally.counts, "faults": tally.faults, "failures": tally.failures}))


if __name__ == "__main__":
    main()
