// The group of the plugin is a group of the cluster: kubectl connects to the kube-apiserver only.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { missing, startBehind } from "./start.mjs";

const boats = join(dirname(fileURLToPath(import.meta.url)), "boats.yaml");
const skip = missing.length > 0 ? `not on PATH: ${missing.join(", ")}` : false;

test("alice creates, lists and watches boats through the kube-apiserver, within her role in the cluster", { skip }, async () => {
  const { kubectl, kubeconfig, stop } = await startBehind();
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
  try {
    assert.match(good("get", "apiservice", "v1.harbour.example.com"), /thole\/thole +True/);
    assert.match(good("api-resources", "--api-group=harbour.example.com"), /boats +harbour\.example\.com\/v1 +true +Boat/);
    assert.match(good("explain", "boat.spec.rig"), /How it is sailed\./);
    const watch = spawn("kubectl", ["get", "boats", "--watch", "--output=name", "--as=alice"], {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      assert.match(good("apply", "--as=alice", "-f", boats), /gull created[\s\S]*dinghy created/);
      assert.match(good("get", "boats", "--as=alice"), /^NAME +RIG +AGE\ndinghy +none +\d+s\ngull +sloop +\d+s\n$/);
      good("patch", "boat", "dinghy", "--as=alice", "--type=merge", "--patch", '{"spec":{"rig":"ketch"}}');
      // Each boat is named once at its creation, the dinghy once more at its change.
      const wanted = new Map([["boat.harbour.example.com/gull", 1], ["boat.harbour.example.com/dinghy", 2]]);
      for await (const line of createInterface({ input: watch.stdout })) {
        wanted.set(line, (wanted.get(line) ?? 0) - 1);
        if ([...wanted.values()].every((left) => left <= 0)) break;
      }
      assert.deepEqual([...wanted.values()], [0, 0]);
    } finally {
      watch.kill();
    }
    rejected('Unsupported value: "raft"', "patch", "boat", "gull", "--as=alice", "--type=merge", "--patch", '{"spec":{"rig":"raft"}}');
    rejected('User "alice" cannot delete resource "boats"', "delete", "boat", "gull", "--as=alice");
    rejected('User "bob" cannot list resource "boats"', "get", "boats", "--as=bob");
  } finally {
    await stop();
  }
});
