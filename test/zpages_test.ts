// /statusz and /flagz behind their gates, and metrics in protobuf. In Deno's suite only: they are made by functions of both runtimes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withDefaults } from "../server/config/parse.ts";
import { flagsOf } from "../server/startup/zpages.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { until } from "./real-server.ts";

const gates = { ComponentStatusz: true, ComponentFlagz: true };
const settings = { "feature-gates": gates, "cert-dir": "/somewhere" };

async function get(server: TestServer, path: string, accept?: string | undefined, method = "GET") {
  const headers = new Headers();
  if (accept !== undefined) headers.set("accept", accept);
  const answer = await server.handle(new Request(`http://localhost${path}`, { method, headers }));
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
}
const asked = (kind: string, type = "application/json", version = "v1alpha1") => `${type};v=${version};g=config.k8s.io;as=${kind}`;

test("/statusz and /flagz are text for people and objects for programs, as a kube-apiserver negotiates", async () => {
  await using server = await openTestServer({ settings });
  for (const [path, kind] of [["/statusz", "Statusz"], ["/flagz", "Flagz"]] as const) {
    for (const accept of [undefined, "", "*/*", "text/plain", "text/*;q=0.5", `text/html,${asked(kind, "text/html")},*/*`]) {
      const { status, type, text } = await get(server, path, accept);
      assert.deepEqual([status, type], [200, "text/plain; charset=utf-8"], String(accept));
      assert.match(text, new RegExp(`^\napiserver ${path.slice(1)}\nWarning: `));
    }
    assert.equal((await get(server, path, undefined, "POST")).status, 200);
    for (
      const accept of ["text/html", "application/json", asked(kind, "application/json", "v1"), asked(kind, "text/plain"), asked("Table")]
    ) {
      const { status, text } = await get(server, path, accept);
      assert.equal(status, 406, accept);
      assert.equal(JSON.parse(text).message, "only the following media types are accepted: application/json, application/yaml, text/plain");
    }
    const { status, type, text } = await get(server, path, `text/html,${asked(kind)}`);
    assert.deepEqual([status, type], [200, `application/json;g=config.k8s.io;v=v1alpha1;as=${kind}`]);
    const { kind: named, apiVersion, metadata, ...rest } = JSON.parse(text);
    assert.deepEqual([named, apiVersion, metadata], [kind, "config.k8s.io/v1alpha1", { name: "apiserver" }]);
    if (kind === "Statusz") {
      assert.deepEqual(Object.keys(rest), ["startTime", "uptimeSeconds", "goVersion", "binaryVersion", "emulationVersion", "paths"]);
      assert.deepEqual(rest.paths, ["/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"]);
      assert.match(rest.startTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    } else {
      assert.equal(rest.flags["cert-dir"], "/somewhere");
      assert.equal(rest.flags["feature-gates"], "ComponentStatusz=true,ComponentFlagz=true");
      assert.equal(rest.flags["request-timeout"], "1m0s");
    }
    assert.match((await get(server, path, asked(kind, "application/yaml"))).text, /^apiVersion: config.k8s.io\/v1alpha1$/m);
    for (const below of ["/", "/x"]) assert.equal((await get(server, path + below)).status, 404);
  }
  const { paths } = JSON.parse((await get(server, "/")).text);
  assert.deepEqual(paths.filter((each: string) => /^\/(metrics|statusz|flagz)/.test(each)), [
    "/flagz",
    "/metrics",
    "/metrics/slis",
    "/statusz",
  ]);
  const protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";
  assert.match((await get(server, "/metrics", protobuf)).type!, /^application\/vnd\.google\.protobuf; proto=/);
  assert.match((await get(server, "/metrics", "application/openmetrics-text,*/*")).type!, /^text\/plain; version=0\.0\.4/);
});

test("the users and passwords of addresses are not shown, and without the gates there are no pages", async () => {
  await using server = await openTestServer();
  for (const path of ["/statusz", "/flagz"]) assert.equal((await get(server, path)).status, 404);
  const config = withDefaults({ "etcd-servers": ["https://user:secret@etcd:2379"] });
  const reply = flagsOf(config, []);
  assert.equal(reply["etcd-servers"], "[https://etcd:2379]");
});

test("system:monitoring may read the pages whose gates are on", async () => {
  const urls = async (server: TestServer) =>
    await until(async () => {
      const role = await server.api.get("rbac.authorization.{domain}/v1", "clusterroles", "", "system:monitoring") as any; // `any`: its rules
      return role.rules.flatMap(({ nonResourceURLs = [] }: { nonResourceURLs?: string[] }) => nonResourceURLs);
    });
  const others = ["/healthz", "/healthz/*", "/livez", "/livez/*", "/metrics", "/metrics/slis", "/readyz", "/readyz/*"];
  await using server = await openTestServer({ settings });
  assert.deepEqual(await urls(server), ["/flagz", ...others, "/statusz"]);
  await using plain = await openTestServer();
  assert.deepEqual((await urls(plain)).toSorted(), others);
});
