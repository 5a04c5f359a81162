import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import process from "node:process";
import { startThole } from "../start-thole.mjs";

/** The chart, and its version. `CHART` names another place of it, such as a folder, and `CHART_VERSION` another version. */
const chart = process.env.CHART ?? "oci://ghcr.io/stefanprodan/charts/podinfo", version = process.env.CHART_VERSION ?? "6.14.1";
/** A load balancer, an ingress, an autoscaler, a disruption budget and a second Deployment. */
const values = [
  "replicaCount=2",
  "service.type=LoadBalancer",
  "ingress.enabled=true",
  "hpa.enabled=true",
  "podDisruptionBudget.minAvailable=1",
  "redis.enabled=true",
];

let cluster;
before(async () => {
  cluster = await startThole("--simulate", "--simulate-nodes=3");
});
after(() => cluster?.stop());

function helm(...args) {
  const { status, stdout, stderr } = cluster.run("helm", args);
  assert.equal(status, 0, `helm ${args.join(" ")}: ${stderr}`);
  return stdout;
}

function read(...args) {
  const { status, stdout, stderr } = cluster.kubectl(...args);
  assert.equal(status, 0, stderr);
  return stdout;
}

const from = [chart, "--version", version, "--wait", "--timeout=2m", ...values.flatMap((value) => ["--set", value])];

test("the chart is installed, and its Deployment is available", () => {
  helm("install", "podinfo", ...from);
  assert.equal(read("get", "deployment", "podinfo", "--output=jsonpath={.status.availableReplicas}"), "2");
  assert.match(read("get", "service", "podinfo", "--output=jsonpath={.status.loadBalancer.ingress[0].ip}"), /^198\.1[89]\./);
});

test("a new image is rolled out; one that cannot be pulled is an error", () => {
  helm("upgrade", "podinfo", ...from, "--set", "image.tag=next");
  assert.match(read("get", "pods", "--output=jsonpath={.items[*].spec.containers[*].image}"), /podinfo:next/);
  const annotation = "podAnnotations.simulation\\.thole\\.dev/waiting=ImagePullBackOff";
  const { status, stderr } = cluster.run("helm", ["upgrade", "podinfo", ...from, "--set", annotation, "--timeout=5s"]);
  assert.notEqual(status, 0);
  assert.match(stderr, /timed out|context deadline exceeded|not ready/);
  helm("rollback", "podinfo", "2", "--wait", "--timeout=2m");
});

test("the chart's own tests pass", () => {
  assert.match(helm("test", "podinfo", "--timeout=1m"), /Phase: +Succeeded/);
});

test("the chart is removed, and nothing of it is left", () => {
  helm("uninstall", "podinfo", "--wait", "--timeout=2m");
  assert.equal(read("get", "deployments,services,pods", "--selector=app.kubernetes.io/name=podinfo", "--output=name"), "");
});
