// Requests for kinds of kube-apiserver that are not implemented: the response names the kind.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../testing.ts";
import { ask } from "./requests.ts";

const settings = { preset: "control-plane" };

async function shown(...request: Parameters<typeof ask>) {
  const { status, text } = await ask(...request);
  return { status, text };
}

test("a write of a kind that is not implemented returns a Status with the kind", async () => {
  await using server = await openTestServer({ settings });
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

test("a read or delete of a kind that is not implemented returns the same Status as a write", async () => {
  await using server = await openTestServer({ settings });
  for (
    const path of [
      "/apis/apps/v1/namespaces/default/deployments",
      "/apis/batch/v1/jobs",
      "/apis/batch/v1/cronjobs?watch=1",
      "/api/v1/nodes",
    ]
  ) {
    const written = await shown(server, "POST", path.replace("/v1/jobs", "/v1/namespaces/default/jobs"), {});
    assert.match(written.text, /leaves that kind of kube-apiserver out/);
    for (const [method, below] of [["GET", ""], ["GET", "/a"], ["GET", "/a/status"], ["DELETE", "/a"], ["DELETE", ""]] as const) {
      const [at, query] = path.split("?"), url = `${at}${below}${query === undefined ? "" : `?${query}`}`;
      assert.deepEqual(await shown(server, method, url), written, `${method} ${url}`);
    }
  }
});

test("only a client that takes none of the server's encodings gets the plain 404; another version of a served kind is not left out", async () => {
  await using server = await openTestServer({ settings });
  const get = (path: string, accept: string) => shown(server, "GET", path, undefined, { accept });
  const deployments = "/apis/apps/v1/deployments", plain = { status: 404, text: "404 page not found\n" };
  const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  for (
    const accept of [
      "application/json",
      "*/*",
      "application/*",
      "application/yaml",
      `${table},application/json`,
      table,
      "text/html, */*;q=0.8",
    ]
  ) {
    assert.match((await get(deployments, accept)).text, /this server does not serve Deployment/, accept);
  }
  assert.match((await get(deployments, "application/vnd.kubernetes.protobuf")).text, /^k8s\0[^]*does not serve Deployment/);
  for (const accept of ["text/html", "text/plain;q=0.5", "image/*"]) assert.deepEqual(await get(deployments, accept), plain, accept);
  assert.match((await get("/api/v1/nodes", "text/html")).text, /this server does not serve Node/, "no path of a served group is text");

  for (const method of ["GET", "POST"]) {
    const roles = await ask(server, method, "/apis/rbac.authorization.k8s.io/v1beta1/clusterroles", method === "GET" ? undefined : {});
    assert.match(roles.text, /the server could not find the requested resource/, method);
    assert.deepEqual(await shown(server, method, "/apis/apps/v1/namespaces/default/nonsense", method === "GET" ? undefined : {}), {
      status: 404,
      text: "404 page not found\n",
    });
    assert.match((await ask(server, method, "/api/v1/nonsense", method === "GET" ? undefined : {})).text, /could not find the requested/);
  }
});

test("services are in the category all", async () => {
  await using server = await openTestServer({ settings });
  const { resources } = JSON.parse((await ask(server, "GET", "/api/v1")).text);
  const all = resources.filter(({ categories = [] }: { categories?: string[] }) => categories.includes("all"));
  assert.deepEqual(all.map(({ name }: { name: string }) => name), ["services"]);
});
