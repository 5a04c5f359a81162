import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationAttributes } from "../../core/access.ts";
import { defaultNames } from "../../core/names.ts";
import { StatusError } from "../../core/status-error.ts";
import type { UserInfo } from "../../core/user-info.ts";
import type { Exchange } from "../../kernel/request/exchange.ts";
import { requestInfo } from "../../kernel/request/request-info.ts";
import { constrainedImpersonation } from "./constrained.ts";
import { impersonatedMs } from "./successes.ts";

const bob: UserInfo = { name: "bob", groups: ["system:authenticated"] };
const nodeKey = "authentication.kubernetes.io/node-name";
const agent = (node: string): UserInfo => ({
  name: "system:serviceaccount:kube-system:agent",
  groups: ["system:serviceaccounts"],
  extra: { [nodeKey]: [node], "authentication.kubernetes.io/pod-name": [`agent-${node}`] },
});
const pods = "/api/v1/namespaces/a/pods";

/** `may`: the rights, as the checks are written in `asked`. */
function world(...may: readonly string[]) {
  let now = 0, asked: string[] = [];
  const rights = new Set(may);
  const impersonate = constrainedImpersonation({
    hash: (texts) => texts.join("\0"),
    now: () => now,
    decide(user, attributes) {
      const text = textOf(user, attributes);
      asked.push(text);
      return Promise.resolve({ verdict: rights.has(text) ? "allow" : "noOpinion", reason: "" });
    },
  });
  return {
    rights,
    pass: (ms: number) => now += ms,
    /** The result, or the error, and what was asked for it. */
    async as(user: UserInfo, headers: Exchange["headers"], path = pods, method = "GET") {
      asked = [];
      try {
        // `as`: impersonation uses no other member of an exchange.
        const found = await impersonate({ method, headers } as Exchange, user, defaultNames, requestInfo(method, path)!);
        return { user: found?.user, constraint: found?.constraint, headers: found?.exchange.headers, asked };
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        return { error: `${error.code} ${error.message}`, asked };
      }
    },
  };
}

function textOf(user: UserInfo, { verb, group, resource, subresource, namespace, name, path, isResourceRequest }: AuthorizationAttributes) {
  const of = isResourceRequest ? `${group}/${[resource, subresource].filter((each) => each !== "").join("/")} ${namespace}/${name}` : path;
  return `${user.name} ${verb} ${of}`;
}
const identity = "authentication.k8s.io";
const onPods = (mode: string, verb = "list", by = "bob") => `${by} impersonate-on:${mode}:${verb} /pods a/`;
const part = (mode: string, resource: string, name: string, by = "bob") => `${by} impersonate:${mode} ${identity}/${resource} ${name}`;

test("constrained impersonation of a user needs the right to the request, and to each part of the user", async () => {
  const rights = [
    onPods("user-info"),
    part("user-info", "users", "/carol"),
    part("user-info", "uids", "/7"),
    part("user-info", "groups", "/ops"),
    part("user-info", "userextras/example.org/zone", "/a"),
  ];
  const { as } = world(...rights);
  const found = await as(bob, {
    "impersonate-user": "carol",
    "impersonate-uid": "7",
    "impersonate-group": "ops",
    "impersonate-extra-example.org%2fzone": "a",
    accept: "x",
  });
  assert.deepEqual(found, {
    user: { name: "carol", uid: "7", groups: ["ops", "system:authenticated"], extra: { "example.org/zone": ["a"] } },
    constraint: "impersonate:user-info",
    headers: { accept: "x" },
    asked: rights,
  });
});

test("constrained impersonation allows no other request, and names the first right that is missing", async () => {
  const { as } = world(onPods("user-info"), part("user-info", "users", "/carol"));
  const headers = { "impersonate-user": "carol" };
  assert.equal((await as(bob, headers)).constraint, "impersonate:user-info");
  const refused = await as(bob, headers, `${pods}/one`, "DELETE");
  assert.equal(
    refused.error,
    '403 pods "one" is forbidden: User "bob" cannot impersonate-on:user-info:delete resource "pods" in API group "" in the namespace "a"',
  );
  assert.deepEqual(refused.asked, ["bob impersonate-on:user-info:delete /pods a/one", "bob impersonate /users /carol"]);
  const path = await as(bob, headers, "/metrics");
  assert.equal(path.error, '403 forbidden: User "bob" cannot impersonate-on:user-info:get path "/metrics"');
});

test("legacy impersonation goes on, and is tried first once it has worked", async () => {
  const { as } = world("bob impersonate /users /carol");
  const headers = { "impersonate-user": "carol" };
  const first = await as(bob, headers), second = await as(bob, headers);
  assert.deepEqual(first.user, { name: "carol", groups: ["system:authenticated"] });
  assert.equal(first.constraint, undefined);
  assert.deepEqual(first.asked, [onPods("user-info"), "bob impersonate /users /carol"]);
  assert.deepEqual(second.asked, ["bob impersonate /users /carol"]);
});

test("service accounts and nodes have modes of their own, with fixed groups", async () => {
  const account = "system:serviceaccount:storage:robot";
  const { as } = world(
    onPods("serviceaccount"),
    part("serviceaccount", "serviceaccounts", "storage/robot"),
    onPods("arbitrary-node"),
    part("arbitrary-node", "nodes", "/one"),
    onPods("user-info"),
    part("user-info", "users", `/${account}`),
    part("user-info", "users", "/system:node:one"),
  );
  const robot = await as(bob, { "impersonate-user": account });
  assert.deepEqual(robot.user?.groups, ["system:serviceaccounts", "system:serviceaccounts:storage", "system:authenticated"]);
  assert.equal(robot.constraint, "impersonate:serviceaccount");
  const node = await as(bob, { "impersonate-user": "system:node:one" });
  assert.deepEqual(node.user?.groups, ["system:nodes", "system:authenticated"]);
  assert.equal(node.constraint, "impersonate:arbitrary-node");
  for (const name of [account, "system:node:one"]) {
    const grouped = await as(bob, { "impersonate-user": name, "impersonate-group": "ops" });
    assert.match(grouped.error!, /cannot impersonate resource "(serviceaccounts|users)"/, "with groups only the legacy mode is left");
  }
});

test("a service account acts as the node of its own pod, and one answer is good for all of its pods", async () => {
  const name = agent("one").name;
  const { as } = world(onPods("associated-node", "list", name), part("associated-node", "nodes", "/*", name));
  const own = await as(agent("one"), { "impersonate-user": "system:node:one" });
  assert.deepEqual(own.user, { name: "system:node:one", groups: ["system:nodes", "system:authenticated"] });
  assert.deepEqual([own.constraint, own.asked.length], ["impersonate:associated-node", 2]);
  const sibling = await as(agent("two"), { "impersonate-user": "system:node:two" });
  assert.deepEqual([sibling.user?.name, sibling.asked], ["system:node:two", []]);
  for (const requestor of [agent("one"), { ...agent("two"), name: "bob" }, { ...agent("one"), extra: { [nodeKey]: ["two", "two"] } }]) {
    const other = await as(requestor, { "impersonate-user": "system:node:two" });
    assert.match(other.error!, /cannot impersonate-on:arbitrary-node:list/);
  }
});

test("constrained impersonation is never of system:masters, of empty groups, or of extra values without a domain", async () => {
  const { as } = world(
    onPods("user-info"),
    ...["users /carol", "groups /system:masters", "groups /", "userextras/scopes /a"].map((each) => {
      const [resource, name] = each.split(" ");
      return part("user-info", resource!, name!);
    }),
  );
  const refusals = [
    [
      { "impersonate-group": "system:masters" },
      /^403 groups.* "system:masters" is forbidden: .*impersonating the system:masters group is not allowed$/,
    ],
    [{ "impersonate-group": "" }, /impersonating the empty string group is not allowed$/],
    [
      { "impersonate-extra-scopes": "a" },
      /key in extra is not allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path/,
    ],
    [{ "impersonate-extra-example.org%2fa": "" }, /impersonating the empty string value in extra is not allowed$/],
    [{ "impersonate-extra-": "a" }, /impersonating the empty string key in extra is not allowed$/],
  ] as const;
  for (const [headers, expected] of refusals) {
    assert.match((await as(bob, { "impersonate-user": "carol", ...headers })).error!, expected);
  }
});

test("a right to all groups, or to all extra values, is asked for first when there are many", async () => {
  const all = [onPods("user-info"), part("user-info", "users", "/carol"), part("user-info", "groups", "/*")];
  const { as, rights } = world(...all);
  const four = { "impersonate-user": "carol", "impersonate-group": ["a", "b", "c", "d"] };
  assert.deepEqual((await as(bob, four)).asked, all);
  const three = await as(bob, { ...four, "impersonate-group": ["a", "b", "c"] });
  assert.match(three.error!, /^403 groups.authentication.k8s.io "a" is forbidden/);
  rights.add(part("user-info", "userextras/*", "/*"));
  const extra = { "impersonate-user": "carol", "impersonate-extra-example.org%2fa": ["1", "2", "3", "4"] };
  assert.equal((await as(bob, extra)).asked.at(-1), part("user-info", "userextras/*", "/*"));
});

test("successes are remembered by user and by request, for ten seconds, and refusals never", async () => {
  const user = part("user-info", "users", "/carol"), list = onPods("user-info"), get = "bob impersonate-on:user-info:get /pods a/one";
  const { as, pass, rights } = world(list, user);
  const headers = { "impersonate-user": "carol" };
  assert.deepEqual((await as(bob, headers)).asked, [list, user]);
  assert.deepEqual((await as(bob, headers)).asked, []);
  assert.match((await as(bob, headers, `${pods}/one`)).error!, /^403/);
  rights.add(get);
  assert.deepEqual((await as(bob, headers, `${pods}/one`)).asked, [get], "the user is known from before");
  // Another identity of the same name shares nothing.
  assert.deepEqual((await as({ ...bob, groups: ["other"] }, headers)).asked, [list, user]);
  pass(impersonatedMs - 1);
  assert.deepEqual((await as(bob, headers)).asked, []);
  pass(1);
  rights.delete(user);
  assert.match((await as(bob, headers)).error!, /^403 users/, "a use does not lengthen the time");
});

test("headers without a user are refused before any check, and no headers are no impersonation", async () => {
  const { as } = world();
  const refused = await as(bob, { "impersonate-group": ["a", 'b"'], "impersonate-extra-scopes": "view", "impersonate-uid": "7" });
  assert.deepEqual(refused, {
    error:
      '400 requested &user.DefaultInfo{Name:"", UID:"7", Groups:[]string{"a", "b\\""}, Extra:map[string][]string{"scopes":[]string{"view"}}} ' +
      "without impersonating a user name",
    asked: [],
  });
  for (const headers of [{}, { "impersonate-user": "" }, { "impersonate-uid": "" }]) assert.equal((await as(bob, headers)).user, undefined);
});
