import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationAttributes } from "../../core/access.ts";
import { defaultNames } from "../../core/names.ts";
import { StatusError } from "../../core/status-error.ts";
import type { Exchange } from "../../kernel/request/exchange.ts";
import { requestInfo } from "../../kernel/request/request-info.ts";
import { impersonateBy, impersonated } from "./legacy.ts";

const admin = { name: "admin", groups: ["system:masters"] };

function world(isAllowed: (attributes: AuthorizationAttributes) => boolean = () => true) {
  const asked: string[] = [];
  const impersonate = impersonateBy((user, attributes) => {
    const { verb, group, resource, subresource, namespace, name } = attributes;
    asked.push([user.name, verb, group, [resource, subresource].filter((each) => each !== "").join("/"), namespace, name].join(" "));
    return Promise.resolve({ verdict: isAllowed(attributes) ? "allow" : "noOpinion", reason: "" });
  });
  // `as`: impersonation uses no other member of an exchange.
  const as = (headers: Exchange["headers"]) =>
    impersonate({ method: "GET", headers } as Exchange, admin, defaultNames, requestInfo("GET", "/version")!);
  return { as, asked };
}
const userOf = async (headers: Exchange["headers"]) => (await world().as(headers))?.user;

async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "";
}

test("impersonateBy() returns undefined for requests without impersonation", async () => {
  for (
    const headers of [{}, { "impersonate-user": "" }, { "impersonate-uid": "", "impersonate-user": "" }, { "x-impersonate-user": "a" }]
  ) {
    const { as, asked } = world();
    assert.equal(await as(headers), undefined);
    assert.deepEqual(asked, []);
  }
});

test("impersonateBy() authorizes each part separately, the user first", async () => {
  const { as, asked } = world();
  const found = await as({
    "impersonate-extra-example.org%2fzone": ["a", "b"],
    "impersonate-extra-scopes": "view",
    "impersonate-uid": "7",
    "impersonate-group": ["ops", "dev"],
    "impersonate-user": "Jos\xc3\xa9",
  });
  assert.deepEqual(found?.user, {
    name: "José",
    uid: "7",
    groups: ["ops", "dev", "system:authenticated"],
    extra: { "example.org/zone": ["a", "b"], scopes: ["view"] },
  });
  assert.deepEqual(asked, [
    "admin impersonate  users  José",
    "admin impersonate  groups  ops",
    "admin impersonate  groups  dev",
    "admin impersonate authentication.k8s.io userextras/example.org/zone  a",
    "admin impersonate authentication.k8s.io userextras/example.org/zone  b",
    "admin impersonate authentication.k8s.io userextras/scopes  view",
    "admin impersonate authentication.k8s.io uids  7",
  ]);
});

test("impersonateBy() authorizes a name with a byte order mark unchanged", async () => {
  const { as, asked } = world();
  await as({ "impersonate-user": "\xef\xbb\xbfadmin", "impersonate-group": "\xef\xbb\xbfsystem:masters" });
  assert.deepEqual(asked, ["admin impersonate  users  \ufeffadmin", "admin impersonate  groups  \ufeffsystem:masters"]);
});

test("impersonateBy() removes the headers from the request and keeps the rest", async () => {
  const found = await world().as({ "impersonate-user": "carol", "impersonate-extra-a": "b", accept: "x" });
  assert.deepEqual(found?.exchange.headers, { accept: "x" });
  assert.equal(found?.exchange.method, "GET");
});

test("impersonateBy() recognizes service accounts by their names and adds their groups unless groups are given", async () => {
  const account = "system:serviceaccount:storage:robot";
  const { as, asked } = world();
  assert.deepEqual((await as({ "impersonate-user": account }))?.user, {
    name: account,
    groups: ["system:serviceaccounts", "system:serviceaccounts:storage", "system:authenticated"],
  });
  assert.deepEqual(asked, ["admin impersonate  serviceaccounts storage robot"]);
  assert.deepEqual((await userOf({ "impersonate-user": account, "impersonate-group": "ops" }))?.groups, ["ops", "system:authenticated"]);
  for (
    const name of [
      "system:serviceaccount:a",
      "system:serviceaccount:a:b:c",
      "system:serviceaccount:A:b",
      "system:serviceaccount:a:_",
      "system:serviceaccount::b",
    ]
  ) {
    const { as, asked } = world();
    assert.equal((await as({ "impersonate-user": name }))?.user.name, name);
    assert.deepEqual(asked, [`admin impersonate  users  ${name}`]);
  }
});

test("impersonateBy() adds the group of authenticated or of unauthenticated users", async () => {
  const groups = async (user: string, ...groups: readonly string[]) =>
    (await userOf({ "impersonate-user": user, "impersonate-group": groups }))?.groups;
  assert.deepEqual(await groups("carol"), ["system:authenticated"]);
  assert.deepEqual(await groups("carol", "system:authenticated", "a"), ["system:authenticated", "a"]);
  assert.deepEqual(await groups("carol", "system:unauthenticated"), ["system:unauthenticated"]);
  assert.deepEqual(await groups("system:anonymous"), ["system:unauthenticated"]);
  assert.deepEqual(await groups("system:anonymous", "system:masters"), ["system:masters", "system:unauthenticated"]);
});

test("impersonateBy() rejects the first part that is not allowed", async () => {
  const only = (resource: string) => world((attributes) => attributes.resource === resource);
  const headers = { "impersonate-user": "carol", "impersonate-group": "system:masters", "impersonate-uid": "7" };
  assert.equal(
    await refusal(only("groups").as(headers)),
    '403 users "carol" is forbidden: User "admin" cannot impersonate resource "users" in API group "" at the cluster scope',
  );
  const users = only("users");
  assert.match(await refusal(users.as(headers)), /^403 groups "system:masters" is forbidden/);
  assert.equal(users.asked.length, 2, "nothing is asked after a refusal");
});

test("impersonateBy() rejects headers without a user before any authorization", async () => {
  const { as, asked } = world();
  assert.equal(
    await refusal(as({ "impersonate-user": "", "impersonate-group": "a", "impersonate-extra-scopes": "view", "impersonate-uid": "7" })),
    "400 requested [{Group  a    } {UserExtra  view  authentication.k8s.io/v1  scopes} {UID  7  authentication.k8s.io/v1  }] " +
      "without impersonating a user",
  );
  assert.deepEqual(asked, []);
});

test("impersonateBy() supports a key called __proto__", async () => {
  const user = await userOf({ "impersonate-user": "carol", "impersonate-extra-__proto__": "x" });
  assert.deepEqual(Object.entries(user?.extra ?? {}), [["__proto__", ["x"]]]);
});

test("impersonated() keeps the body in pieces, and what the client offers", async () => {
  const body = new TextEncoder().encode("body");
  const exchange: Exchange = {
    ...{
      method: "POST",
      url: "/",
      headers: { "impersonate-user": "carol", accept: "a" },
      remote: "",
      protocol: "HTTP/1.1",
      peer: undefined,
    },
    ...{ offersWebSocket: true, offersUpgrade: true, signal: new AbortController().signal },
    body: () => body,
    async *stream() {
      yield body;
    },
  };
  const next = impersonated(exchange), pieces: Uint8Array[] = [];
  for await (const piece of next.stream?.() ?? []) pieces.push(piece);
  assert.deepEqual(pieces, [body]);
  assert.deepEqual([next.offersWebSocket, next.offersUpgrade, next.headers], [true, true, { accept: "a" }]);
});
