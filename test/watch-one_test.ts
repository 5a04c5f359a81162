// A watch of one object: as in kube-apiserver `watch` has no effect on the path of an object, and there are two other ways.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../testing.ts";
import { send } from "./requests.ts";

test("watch on the path of an object is ignored: the response is the object, or 404", async () => {
  await using server = await openTestServer();
  const made = await server.api.create("v1", "configmaps", "default", { metadata: { name: "a" } });
  const get = (path: string) => send(server, "GET", path);
  for (const query of ["watch=1", "watch=true&resourceVersion=0&timeoutSeconds=1", "watch&allowWatchBookmarks=1"]) {
    const answer = await get(`/api/v1/namespaces/default/configmaps/a?${query}`);
    assert.deepEqual([answer.status, answer.headers.get("content-type"), await answer.json()], [200, "application/json", made]);
    assert.equal((await get(`/api/v1/namespaces/default/configmaps/none?${query}`)).status, 404);
  }
});

test("one object is watched by a field selector on its collection, and below the deprecated /watch/", async () => {
  await using server = await openTestServer();
  for (const name of ["a", "b"]) await server.api.create("v1", "configmaps", "default", { metadata: { name } });
  for (
    const path of [
      "/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name=a",
      "/api/v1/watch/namespaces/default/configmaps/a",
      "/api/v1/watch/namespaces/default/configmaps/a?watch=false",
    ]
  ) {
    const stop = new AbortController();
    const answer = await send(server, "GET", path, undefined, { signal: stop.signal });
    assert.equal(answer.status, 200);
    const seen: string[] = [];
    const decoder = new TextDecoder();
    let rest = "";
    for await (const piece of answer.body!) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const { type, object } = JSON.parse(line);
        seen.push(`${type} ${object.metadata.name} ${object.data?.k ?? ""}`);
        if (seen.length > 1) continue;
        for (const name of ["b", "a"]) {
          const now = await server.api.get("v1", "configmaps", "default", name);
          await server.api.update("v1", "configmaps", "default", name, { ...now, data: { k: path } });
        }
      }
      if (seen.length > 1) break;
    }
    stop.abort();
    assert.deepEqual(seen.map((each) => each.split(" ").slice(0, 2).join(" ")), ["ADDED a", "MODIFIED a"], path);
    assert.ok(seen[1]!.endsWith(path));
  }
});
