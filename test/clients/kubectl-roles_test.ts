// kubectl create role and rolebinding, auth reconcile, and tables of roles and bindings, with every installed kubectl.
// In Deno's suite only: what clients are answered does not depend on the runtime; kubectl_test.ts and client-node_test.ts run on both.
import assert from "node:assert/strict";
import type { RealServer } from "../real-server.ts";
import { bad, good, type Kubectl, kubectlFor, kubectlMissing, kubectls } from "./kubectl.ts";
import { againstTheProgram, everySetup } from "./setups.ts";

const apiVersion = "rbac.authorization.k8s.io/v1", apiGroup = "rbac.authorization.k8s.io";

async function creates(kubectl: Kubectl): Promise<void> {
  assert.match(
    await bad(kubectl, "create role pod-reader --verb=get --resource=nothings"),
    /the server doesn't have a resource type "nothings"/,
  );
  assert.match(
    await good(kubectl, "create role reader --verb=get,list,watch --resource=configmaps"),
    /role\.rbac\.authorization\.k8s\.io\/reader created/,
  );
  assert.match(
    await good(kubectl, "create role pod-reader --verb=get --resource=configmaps --resource-name=one --dry-run=server"),
    /created \(server dry run\)/,
  );
  assert.match(await bad(kubectl, "get role pod-reader"), /NotFound/);
  await good(kubectl, "create clusterrole leases --verb=get,update --resource=leases.coordination.k8s.io --resource-name=one");
  await good(kubectl, "create clusterrole paths --verb=get --non-resource-url=/logs/*");
  await good(kubectl, "create clusterrole sum --aggregation-rule=to=sum");
  await good(kubectl, "create rolebinding readers --role=reader --user=ann --group=dev --serviceaccount=default:robot");
  await good(kubectl, "create rolebinding viewers --clusterrole=view --user=ann");
  await good(kubectl, "create clusterrolebinding paths --clusterrole=paths --user=ann --group=dev --serviceaccount=default:robot");
  const { rules, aggregationRule } = JSON.parse(await good(kubectl, "get clusterrole sum -o json"));
  assert.deepEqual([rules ?? null, aggregationRule], [null, { clusterRoleSelectors: [{ matchLabels: { to: "sum" } }] }]);
  assert.match(await good(kubectl, "describe role reader"), /configmaps +\[\] +\[\] +\[get list watch\]/);
  assert.match(await good(kubectl, "describe clusterrole paths"), /\[\/logs\/\*\] +\[\] +\[get\]/);
  assert.match(await good(kubectl, "describe rolebinding readers"), /ServiceAccount +robot +default/);
}

async function tables(kubectl: Kubectl): Promise<void> {
  const wide = async (what: string) => (await good(kubectl, `get ${what} -o wide`)).trimEnd().split("\n").map((line) => line.trimEnd());
  const [head, row] = await wide("rolebindings readers");
  assert.match(head!, /^NAME +ROLE +AGE +USERS +GROUPS +SERVICEACCOUNTS$/);
  assert.match(row!, /^readers +Role\/reader +\d+s +ann +dev +default\/robot$/);
  const [clusterHead, clusterRow] = await wide("clusterrolebindings paths");
  assert.match(clusterHead!, /^NAME +ROLE +AGE +USERS +GROUPS +SERVICEACCOUNTS$/);
  assert.match(clusterRow!, /^paths +ClusterRole\/paths +\d+s +ann +dev +default\/robot$/);
  for (const kind of ["roles reader", "clusterroles paths"]) {
    const [titles, cells] = await wide(kind);
    assert.match(titles!, /^NAME +CREATED AT$/);
    assert.match(cells!, /^(reader|paths) +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  }
  assert.match(await good(kubectl, "get clusterroles"), /^system:aggregate-to-view /m);
}

async function reconciles(kubectl: Kubectl): Promise<void> {
  const rule = (...verbs: string[]) => ({ verbs, apiGroups: [""], resources: ["configmaps"] });
  const list = (role: object, binding: object) => JSON.stringify({ apiVersion: "v1", kind: "List", items: [role, binding] });
  const metadata = (name: string) => ({ name, namespace: "default" });
  const role = { apiVersion, kind: "Role", metadata: metadata("worker"), rules: [rule("get")] };
  const binding = {
    apiVersion,
    kind: "RoleBinding",
    metadata: metadata("workers"),
    roleRef: { apiGroup, kind: "Role", name: "worker" },
    subjects: [{ apiGroup, kind: "User", name: "ann" }],
  };
  const verbs = async () =>
    JSON.parse(await good(kubectl, "get role worker -o json")).rules.flatMap((each: { verbs: string[] }) => each.verbs);
  assert.match(
    await good(kubectl, "auth reconcile --dry-run=client -f -", list(role, binding)),
    /worker reconciled/,
  );
  assert.match(await bad(kubectl, "get role worker"), /NotFound/);
  assert.match(await good(kubectl, "auth reconcile -f -", list(role, binding)), /worker reconciled[\s\S]*workers reconciled/);
  assert.deepEqual(await verbs(), ["get"]);
  const more = { ...role, rules: [rule("list")] };
  const others = { ...binding, subjects: [{ apiGroup, kind: "Group", name: "dev" }] };
  assert.match(await good(kubectl, "auth reconcile -f -", list(more, others)), /worker reconciled/);
  assert.deepEqual((await verbs()).toSorted(), ["get", "list"]);
  const subjects = async () =>
    JSON.parse(await good(kubectl, "get rolebinding workers -o json")).subjects.map((each: { name: string }) => each.name);
  assert.deepEqual(await subjects(), ["ann", "dev"]);
  await good(kubectl, "auth reconcile --remove-extra-permissions --remove-extra-subjects -f -", list(more, others));
  assert.deepEqual([await verbs(), await subjects()], [["list"], ["dev"]]);
  // The role of a binding is immutable: reconcile deletes the binding and creates it.
  const { uid } = JSON.parse(await good(kubectl, "get rolebinding workers -o json")).metadata;
  await good(kubectl, "auth reconcile -f -", list(more, { ...others, roleRef: { apiGroup, kind: "ClusterRole", name: "view" } }));
  const made = JSON.parse(await good(kubectl, "get rolebinding workers -o json"));
  assert.equal(made.roleRef.name, "view");
  assert.notEqual(made.metadata.uid, uid);
}

const clients = { paths: kubectls(), missing: kubectlMissing() };
againstTheProgram("kubectl makes and reconciles roles and bindings", clients, everySetup, async (path: string, server: RealServer) => {
  const kubectl = kubectlFor(path, server);
  await creates(kubectl);
  await tables(kubectl);
  await reconciles(kubectl);
});
