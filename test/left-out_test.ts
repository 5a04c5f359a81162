// Writes of kinds of kube-apiserver that are not implemented: the response names the kind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";

const ask = async (server: TestServer, method: string, path: string, body?: object, type = "application/json") => {
  const request = new Request(`https://test${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": type } }),
  });
  const answer = await server.handle(request);
  return { status: answer.status, text: await answer.text() };
};

test("a write of a kind that is not implemented returns a Status with the kind", async () => {
  await using server = await openTestServer();
  for (
    const [method, path, kind] of [
      ["POST", "/apis/apps/v1/namespaces/default/deployments", "Deployment (deployments.apps)"],
      ["PATCH", "/apis/apps/v1/namespaces/default/deployments/web?fieldManager=x", "Deployment (deployments.apps)"],
      ["PUT", "/apis/batch/v1/namespaces/default/jobs/j", "Job (jobs.batch)"],
      ["POST", "/api/v1/nodes", "Node (nodes)"],
    ] as const
  ) {
    const { status, text } = await ask(server, method, path, {}, method === "PATCH" ? "application/apply-patch+yaml" : undefined);
    assert.equal(status, 404, path);
    const { reason, message } = JSON.parse(text);
    assert.deepEqual([reason, message], ["NotFound", `this server does not serve ${kind}: it leaves that kind of kube-apiserver out`]);
  }
});

test("reads of kinds that are not implemented, and writes of kinds unknown to kube-apiserver, are plain 404s", async () => {
  await using server = await openTestServer();
  assert.deepEqual(await ask(server, "GET", "/apis/apps/v1/namespaces/default/deployments"), { status: 404, text: "404 page not found\n" });
  assert.deepEqual(await ask(server, "POST", "/apis/apps/v1/namespaces/default/nonsense", {}), {
    status: 404,
    text: "404 page not found\n",
  });
  assert.match((await ask(server, "POST", "/api/v1/nonsense", {})).text, /the server could not find the requested resource/);
});

test("pods and services are empty collections; a write returns the reason", async () => {
  await using server = await openTestServer();
  for (
    const [path, what] of [
      ["/api/v1/namespaces/default/pods", /405.*runs no workloads, so there are no pods/s],
      ["/api/v1/namespaces/default/services", /405.*runs no workloads, so there are no services/s],
    ] as const
  ) {
    const list = await ask(server, "GET", path);
    assert.deepEqual([list.status, JSON.parse(list.text).items], [200, []]);
    const { status, text } = await ask(server, "POST", path, {});
    assert.match(`${status} ${text}`, what);
    assert.match(text, /"reason":"MethodNotAllowed"/);
  }
});

test("pods and services are in the category all", async () => {
  await using server = await openTestServer();
  const { resources } = JSON.parse((await ask(server, "GET", "/api/v1")).text);
  const all = resources.filter(({ categories = [] }: { categories?: string[] }) => categories.includes("all"));
  assert.deepEqual(all.map(({ name }: { name: string }) => name), ["pods", "services"]);
});
