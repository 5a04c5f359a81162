import assert from "node:assert/strict";
import { test } from "node:test";
import type { RegisteredVersion } from "../../core/delegate.ts";
import { remoteVersions } from "./remote-versions.ts";

const registered = (group: string, version: string, isRemote: boolean): RegisteredVersion => ({
  ...{ group, version, isRemote, groupPriority: 1, versionPriority: 1 },
  server: isRemote ? "default/api:443" : "",
});

test("a path belongs to the remote version at its beginning; other paths belong to this server", () => {
  let list = [registered("remote.example", "v1", true), registered("apps", "v1", false)];
  const at = remoteVersions({ versions: () => list });
  const of = (path: string) => {
    const found = at(path);
    return found && `${found.group}/${found.version}`;
  };
  for (
    const path of ["/apis/remote.example/v1", "/apis/remote.example/v1/", "/apis/remote.example/v1/a/b", "/apis/remote.example/v1/../.."]
  ) {
    assert.equal(of(path), "remote.example/v1", path);
  }
  for (
    const path of [
      "/apis/remote.example",
      "/apis/remote.example/",
      "/apis/remote.example/v1beta1/a",
      "/apis/remote.example/v10",
      "/apis/apps/v1/a",
    ]
  ) assert.equal(of(path), undefined, path);
  for (const path of ["/", "", "/api/v1/pods", "/apis", "/apis//v1", "//apis/remote.example/v1", "/x/remote.example/v1", "/openapi/v3"]) {
    assert.equal(of(path), undefined, path);
  }
  list = [registered("", "v1", true)];
  for (const path of ["/api", "/api/v1", "/api/v1/pods"]) assert.equal(of(path), "/v1", path);
  assert.deepEqual([of("/apiv1"), of("/apis//v1"), of("/apis/remote.example/v1")], [undefined, undefined, undefined]);
});
