// Each team can do what it should, and nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { startThole } from "../start-thole.mjs";

test("three teams share a server, each within its rights, its quota and the policy", async () => {
  const { kubectl, stop } = await startThole();
  const good = (...args) => {
    const { status, stdout, stderr } = kubectl(...args);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const rejected = (text, ...args) => {
    const { status, stderr } = kubectl(...args);
    assert.notEqual(status, 0, args.join(" "));
    assert.ok(stderr.includes(text), stderr);
  };
  const as = (team) => [`--as=alice`, `--as-group=team-${team}`, "--as-group=system:authenticated"];
  const map = (team, name) => ["apply", ...as(team), "--validate=false", "-f", `maps/${name}.yaml`];
  try {
    good("apply", "-f", "teams.yaml", "-f", "limits.yaml", "-f", "policy.yaml");
    good("wait", "-n", "red", "resourcequota/objects", "--for=jsonpath={.status.hard.count/configmaps}=3", "--timeout=30s");
    // The policy takes effect a moment after it was created.
    for (let attempt = 0; kubectl(...map("green", "green-nobody"), "--dry-run=server").status === 0; attempt++) {
      assert.ok(attempt < 100);
      await pause(50);
    }
    rejected("a ConfigMap of team green needs the label owner", ...map("green", "green-nobody"));
    good(...map("green", "green"));
    // Another team's namespace, and the whole server.
    rejected(
      'cannot list resource "configmaps" in API group "" in the namespace "green"',
      "get",
      "configmaps",
      "-n",
      "green",
      ...as("red"),
    );
    rejected("cannot create", "create", "namespace", "more", ...as("red"));
    assert.equal(kubectl("auth", "can-i", "update", "resourcequotas", "-n", "red", ...as("red")).stdout, "no\n");
    assert.equal(good("auth", "can-i", "create", "secrets", "-n", "red", ...as("red")), "yes\n");
    // The quota of red.
    for (const name of ["red-1", "red-2", "red-3"]) good(...map("red", name));
    rejected(
      "exceeded quota: objects, requested: count/configmaps=1, used: count/configmaps=3, limited: count/configmaps=3",
      ...map("red", "red-4"),
    );
  } finally {
    await stop();
  }
});
