import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutCredentials } from "./connect.ts";

test("withoutCredentials() removes tokens, identities and the further names that say who a user is", () => {
  const headers = {
    accept: "text/plain",
    authorization: "Bearer secret",
    "impersonate-user": "eve",
    "sec-websocket-protocol": "v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0",
    "x-more-groups": "admins",
    "x-remote-extra-scopes": "all",
    "x-remote-user": "eve",
    "x-who": "eve",
  };
  assert.deepEqual(withoutCredentials(headers, { names: ["x-who"], prefixes: ["x-more-"] }), {
    accept: "text/plain",
    "sec-websocket-protocol": "v5.channel.k8s.io",
  });
  assert.deepEqual(Object.keys(withoutCredentials(headers)), ["accept", "sec-websocket-protocol", "x-more-groups", "x-who"]);
});
