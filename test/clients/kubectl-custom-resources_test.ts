// kubectl on custom resources: every verb of it that reads, writes, waits for or describes objects.
// In Deno's suite only: test/clients/kubectl_test.ts uses kubectl on both; what is answered to these commands does not depend on the runtime.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { type RealServer, run, until } from "../real-server.ts";
import { bad, good, type Kubectl, kubectlFor, kubectlMissing, kubectls } from "./kubectl.ts";
import { definition, group, order } from "./orders.ts";
import { againstTheProgram, type Setup } from "./setups.ts";

async function shown(kubectl: Kubectl, what: string): Promise<any> {
  return JSON.parse(await good(kubectl, `get ${what} -o json --show-managed-fields`));
}

async function defines(kubectl: Kubectl): Promise<void> {
  assert.match(await good(kubectl, "create --dry-run=server -f -", JSON.stringify(definition)), /created \(server dry run\)/);
  assert.match(await bad(kubectl, `get crd orders.${group}`), /\(NotFound\)/);
  assert.match(await good(kubectl, "create -f -", JSON.stringify(definition)), /orders\.shop\.example\.com created/);
  await good(kubectl, `wait --for=condition=Established crd/orders.${group} --timeout=60s`);
  // Resources are served after their definition is established.
  await until(() => good(kubectl, "get orders"));
  assert.match(await good(kubectl, "get crd"), /^NAME +CREATED AT\n[\s\S]*^orders\.shop\.example\.com +\d{4}-\d\d-\d\dT/m);
  const resources = await until(async () => {
    const output = await good(kubectl, `api-resources --api-group=${group} -o wide`);
    assert.match(output, /orders/);
    return output;
  });
  assert.match(resources, /^orders +od +shop\.example\.com\/v1 +true +Order +\S*patch,create\S* +shopping$/m);
  assert.match(await good(kubectl, "api-versions"), /^shop\.example\.com\/v1$/m);
  assert.equal(await good(kubectl, `auth can-i create orders.${group}`), "yes\n");
  const can = await kubectl(`auth can-i patch orders.${group} --subresource=scale --as=somebody`);
  assert.deepEqual([can.code, can.output], [1, "no\n"]);
}

async function explains(kubectl: Kubectl): Promise<void> {
  const [whole, deep, field, api] = await until(() =>
    Promise.all([
      good(kubectl, "explain orders"),
      good(kubectl, "explain od --recursive"),
      good(kubectl, "explain order.spec.lines.article"),
      good(kubectl, `explain orders --api-version=${group}/v1 --output=plaintext-openapiv2`),
    ])
  );
  assert.match(whole, /^(GROUP: +shop\.example\.com\n)?KIND: +Order\nVERSION: +(shop\.example\.com\/)?v1\n/);
  assert.match(whole, /An order of a shop\./);
  assert.match(whole, /^ {2}spec\t<Object> -required-$/m);
  assert.match(deep, /^ {6}article\t<string> -required-$/m);
  assert.match(deep, /^ {4}count\t<integer>$/m);
  assert.match(field, /^FIELD: article <string>\n/m);
  assert.match(field, /What is sold\./);
  assert.match(api, /KIND: +Order/);
}

async function reads(kubectl: Kubectl): Promise<void> {
  const ns = "reading";
  await good(kubectl, `create ns ${ns}`);
  const items = [
    order("a", { customer: "ann", count: 3, note: "gift" }, { labels: { tier: "one" } }),
    order("b", { customer: "bob" }, { labels: { tier: "two" } }),
    order("c", { customer: "ann", note: "urgent" }, { labels: { tier: "two" } }),
  ];
  assert.match(await good(kubectl, `create -n ${ns} -f -`, items.join("\n")), /order\.shop\.example\.com\/c created/);
  const [table, wide, yaml, list, path, columns, labelled, selected, both, chunked, all, category, described, sorted] = await Promise.all([
    good(kubectl, `get orders -n ${ns}`),
    good(kubectl, `get od -n ${ns} -o wide --show-labels`),
    good(kubectl, `get order b -n ${ns} -o yaml`),
    good(kubectl, `get orders.v1.${group} -n ${ns} -o json`),
    good(kubectl, ["get", "orders", "-n", ns, "-o", 'jsonpath={range .items[*]}{.metadata.name}={.spec.count}{" "}{end}']),
    good(kubectl, `get orders -n ${ns} -o custom-columns=N:.metadata.name,C:.spec.customer --no-headers`),
    good(kubectl, `get orders -n ${ns} -l tier!=one -o name`),
    good(kubectl, `get orders -n ${ns} --field-selector spec.customer=ann -o name`),
    good(kubectl, `get orders -n ${ns} --field-selector spec.customer!=ann,metadata.name!=c -l tier=two -o name`),
    good(kubectl, `get orders -n ${ns} --chunk-size=1`),
    good(kubectl, `get orders -A --no-headers`),
    good(kubectl, `get shopping -n ${ns} -o name`),
    good(kubectl, `describe order a -n ${ns}`),
    good(kubectl, `get orders -n ${ns} --sort-by=.spec.customer -o name`),
  ]);
  assert.match(table, /^NAME +CUSTOMER +COUNT +AGE\na +ann +3 +\S+\nb +bob +1 +\S+\nc +ann +1 +\S+\n$/);
  assert.match(wide, /^NAME +CUSTOMER +COUNT +NOTE +AGE +LABELS\na +ann +3 +gift +\S+ +tier=one\nb +bob +1 +\S+ +tier=two$/m);
  assert.match(yaml, /^apiVersion: shop\.example\.com\/v1\nkind: Order\nmetadata:\n/);
  assert.match(yaml, /^spec:\n {2}count: 1\n {2}customer: bob\n/m);
  const read = JSON.parse(list);
  assert.deepEqual([read.kind, read.items.length], ["List", 3]);
  assert.equal(path, "a=3 b=1 c=1 ");
  assert.match(columns, /^a +ann\nb +bob\nc +ann\n$/);
  const names = (...each: readonly string[]) => each.map((name) => `order.${group}/${name}\n`).join("");
  assert.deepEqual([labelled, selected, both, category], [names("b", "c"), names("a", "c"), names("b"), names("a", "b", "c")]);
  assert.equal(chunked.replaceAll(/\d+s$/gm, "?"), table.replaceAll(/\d+s$/gm, "?"));
  assert.match(all, /^reading +a +ann +3 /m);
  assert.match(described, /Name: +a\n[\s\S]*Kind: +Order\n[\s\S]*Customer: +ann\n/);
  assert.equal(sorted, names("a", "c", "b"));
  assert.match(await bad(kubectl, `get orders -n ${ns} --field-selector spec.note=gift`), /field label not supported: spec\.note/);
  assert.match(await bad(kubectl, `get order z -n ${ns}`), /\(NotFound\): orders\.shop\.example\.com "z" not found/);
}

/** The lines of `get --watch` of the objects that a field selector selects. */
async function watches(path: string, server: RealServer, kubectl: Kubectl): Promise<void> {
  const words = [`--cache-dir=${server.folder}/kubectl-cache`, ..."get orders --watch --field-selector spec.customer=watched".split(" ")];
  const env = { ...process.env, KUBECONFIG: server.kubeconfig, HOME: server.folder };
  const watch = spawn(path, words, { env, stdio: ["ignore", "pipe", "inherit"], timeout: 300_000 });
  const lines: string[] = [];
  createInterface({ input: watch.stdout }).on("line", (line) => {
    lines.push(line);
  });
  const seen = (count: number) => until(() => assert.ok(lines.length >= count, `kubectl get --watch showed ${JSON.stringify(lines)}`));
  const merge = (spec: object) => ["patch", "order", "w1", "--type=merge", "-p", JSON.stringify({ spec })];
  await good(kubectl, "create -f -", order("w1", { customer: "watched" }));
  await seen(2);
  await good(kubectl, "create -f -", order("unwatched", { customer: "other" }));
  await good(kubectl, merge({ count: 5 }));
  await seen(3);
  await good(kubectl, merge({ customer: "other" }));
  await seen(4);
  await good(kubectl, merge({ customer: "watched", count: 6 }));
  await seen(5);
  const ended = once(watch, "exit");
  watch.kill("SIGKILL");
  await ended;
  assert.match(lines[0]!, /^NAME +CUSTOMER +COUNT +AGE$/);
  // An object that is selected no longer is shown as it was when it was selected.
  const rows = lines.slice(1).map((line) => line.split(/ +/).slice(0, 3).join(" "));
  assert.deepEqual(rows, ["w1 watched 1", "w1 watched 5", "w1 watched 5", "w1 watched 6"]);
}

async function appliesOnTheClient(kubectl: Kubectl): Promise<void> {
  const apply = (spec: object) => good(kubectl, "apply -f -", order("client", spec));
  assert.match(await apply({ customer: "ann", note: "gift" }), /client created/);
  assert.match(await apply({ customer: "ann", note: "gift" }), /client unchanged/);
  await good(kubectl, ["patch", "order", "client", "--type=merge", "-p", '{"spec":{"count":4}}']);
  assert.match(await apply({ customer: "bob" }), /client configured/);
  assert.deepEqual((await shown(kubectl, "order client")).spec, { count: 4, customer: "bob" }, "fields of others are kept");
  const diff = await kubectl("diff -f -", order("client", { customer: "eve" }));
  assert.equal(diff.code, 1, diff.errors);
  assert.match(diff.output, /^- {2}customer: bob\n\+ {2}customer: eve$/m);
  assert.equal((await kubectl("diff -f -", order("client", { customer: "bob" }))).code, 0);
  assert.match(await good(kubectl, "apply --dry-run=server -f -", order("client", { customer: "eve" })), /configured \(server dry run\)/);
  assert.match(
    await bad(kubectl, "apply -f -", order("client", { customer: "bob", count: -1 })),
    /spec\.count in body should be greater than/,
  );
  assert.match(await bad(kubectl, "apply -f -", order("client", { customer: "bob", cuont: 1 })), /unknown field "spec\.cuont"/);

  const set = { labels: { set: "pruned" } };
  const both = [order("keep", { customer: "k" }, set), order("drop", { customer: "d" }, set)].join("\n");
  await good(kubectl, "apply -f -", both);
  const words = `apply --prune -l set=pruned --prune-allowlist=${group}/v1/Order -f -`;
  assert.match(await good(kubectl, words, order("keep", { customer: "k" }, set)), /order\.shop\.example\.com\/drop pruned/);
  assert.equal(await good(kubectl, "get orders -l set=pruned -o name"), `order.${group}/keep\n`);
}

async function appliesOnTheServer(kubectl: Kubectl): Promise<void> {
  const lines = (...articles: readonly string[]) => ({ customer: "ann", lines: articles.map((article) => ({ article, amount: 1 })) });
  const apply = (manager: string, spec: object, flags = "") =>
    kubectl(`apply --server-side --field-manager=${manager} ${flags} -f -`.replace("  ", " "), order("server", spec));
  assert.match((await apply("one", lines("x"))).output, /server serverside-applied/);
  assert.equal((await apply("two", lines("y"))).code, 0, "another item of the list has no conflict");
  const refused = await apply("two", { ...lines("y"), customer: "bob" });
  assert.match(refused.errors, /Apply failed with 1 conflict: conflict with "one": \.spec\.customer/);
  assert.equal((await apply("two", { ...lines("y"), customer: "bob" }, "--force-conflicts")).code, 0);
  assert.equal((await apply("one", { lines: [], customer: "bob" })).code, 0);
  const { spec, metadata } = await shown(kubectl, "order server");
  assert.deepEqual(spec, { count: 1, customer: "bob", lines: [{ amount: 1, article: "y" }] });
  assert.deepEqual(metadata.managedFields.map((each: { manager: string }) => each.manager).toSorted(), ["one", "two"]);
  assert.match(
    await good(kubectl, "apply --server-side --dry-run=server -f -", order("never", { customer: "n" })),
    /serverside-applied \(server dry run\)/,
  );
  assert.match(await bad(kubectl, "get order never"), /\(NotFound\)/);
}

async function changesInPlace(kubectl: Kubectl, path: string, server: RealServer): Promise<void> {
  await good(kubectl, "create -f -", order("place", { customer: "ann" }));
  const patch = (type: string, body: string) => ["patch", "order", "place", `--type=${type}`, "-p", body];
  await good(kubectl, patch("merge", '{"spec":{"note":"gift"}}'));
  await good(kubectl, patch("json", '[{"op":"test","path":"/spec/note","value":"gift"},{"op":"remove","path":"/spec/note"}]'));
  assert.match(
    await bad(kubectl, patch("strategic", '{"spec":{"note":"gift"}}')),
    /the body of the request was in an unknown format - accepted media types include/,
  );
  assert.match(await bad(kubectl, patch("merge", '{"spec":{"note":"late"}}')), /Unsupported value: "late"/);
  assert.match(await good(kubectl, "label order place tier=front"), /labeled/);
  assert.match(await good(kubectl, "label orders --field-selector spec.customer=ann tier=back --overwrite"), /place labeled/);
  assert.match(await good(kubectl, "annotate order place note=hello"), /annotated?$/m); // 1.27 has a shorter message.
  const { spec, metadata } = await shown(kubectl, "order place");
  assert.deepEqual([spec, metadata.labels, metadata.annotations], [{ count: 1, customer: "ann" }, { tier: "back" }, { note: "hello" }]);

  assert.match(await good(kubectl, "scale order place --replicas=4 --current-replicas=1"), /place scaled/);
  assert.match(await bad(kubectl, "scale order place --replicas=2 --current-replicas=1"), /[Ee]xpected.*1/);
  const scale = JSON.parse(await good(kubectl, "get order place --subresource=scale -o json"));
  assert.deepEqual([scale.kind, scale.spec.replicas], ["Scale", 4]);

  const editor = join(server.folder, "order-editor.sh");
  await writeFile(editor, '#!/bin/sh\nsed -i "s/customer: ann/customer: edited/" "$1"\n');
  await chmod(editor, 0o755);
  const edited = await run(path, [`--cache-dir=${join(server.folder, "kubectl-cache")}`, "edit", "order", "place"], {
    env: { KUBECONFIG: server.kubeconfig, HOME: server.folder, KUBE_EDITOR: editor },
  });
  assert.equal(edited.code, 0, edited.errors);
  assert.match(edited.output, /place edited/);
  assert.deepEqual((await shown(kubectl, "order place")).spec, { count: 4, customer: "edited" });
  await good(kubectl, "replace --force -f -", order("place", { customer: "new" }));
  assert.notEqual((await shown(kubectl, "order place")).metadata.uid, metadata.uid);
}

async function waits(kubectl: Kubectl): Promise<void> {
  await good(kubectl, "create -f -", order("late", { customer: "ann" }));
  const ready = good(kubectl, "wait --for=condition=Ready order/late --timeout=60s");
  const phase = good(kubectl, "wait --for=jsonpath={.status.phase}=Paid order/late --timeout=60s");
  const status = { status: { phase: "Paid", count: 2, conditions: [{ type: "Ready", status: "True" }] } };
  const words = ["patch", "order", "late", "--subresource=status", "--type=merge", "-p", JSON.stringify(status)];
  await good(kubectl, words);
  assert.match(await ready, /late condition met/);
  assert.match(await phase, /late condition met/);
  assert.equal((await shown(kubectl, "order late")).metadata.generation, 1, "the status has no generation");
  const gone = good(kubectl, "wait --for=delete order/late --timeout=60s");
  await good(kubectl, "delete order late");
  await gone;
}

async function cascades(kubectl: Kubectl): Promise<void> {
  for (const [mode, survives] of [["foreground", false], ["orphan", true]] as const) {
    const owner = `owner-${mode}`, child = `child-${mode}`;
    await good(kubectl, "create -f -", order(owner, { customer: "o" }));
    const { uid } = (await shown(kubectl, `order ${owner}`)).metadata;
    const ownerReferences = [{ apiVersion: `${group}/v1`, kind: "Order", name: owner, uid, blockOwnerDeletion: true }];
    await good(kubectl, "create -f -", order(child, { customer: "c" }, { ownerReferences }));
    await good(kubectl, `delete order ${owner} --cascade=${mode} --timeout=60s`);
    if (survives) assert.equal((await shown(kubectl, `order ${child}`)).metadata.ownerReferences, undefined);
    else assert.match(await bad(kubectl, `get order ${child}`), /\(NotFound\)/);
  }
}

async function removes(kubectl: Kubectl): Promise<void> {
  assert.match(await good(kubectl, "delete orders -n reading -l tier=two"), /"b" deleted[\s\S]*"c" deleted/);
  assert.match(await good(kubectl, "delete orders -n reading --field-selector spec.customer=ann"), /"a" deleted/);
  assert.match(await good(kubectl, "delete od --all"), /"client" deleted/);
  await good(kubectl, "create -f -", order("last", { customer: "l" }));
  assert.match(await good(kubectl, `delete crd orders.${group} --timeout=60s`), /deleted/);
  assert.match(await bad(kubectl, `get crd orders.${group}`), /\(NotFound\)/);
  await until(async () => assert.equal(await good(kubectl, `api-resources --api-group=${group} -o name`), ""));
}

const setups: readonly Setup[] = [{ runtime: "deno", store: "sqlite" }, { runtime: "node", store: "etcd" }];
const clients = { paths: kubectls(), missing: kubectlMissing() };
againstTheProgram("kubectl works with custom resources", clients, setups, async (path, server) => {
  const kubectl = kubectlFor(path, server);
  await defines(kubectl);
  await Promise.all([
    explains(kubectl),
    reads(kubectl),
    watches(path, server, kubectl),
    appliesOnTheClient(kubectl),
    appliesOnTheServer(kubectl),
    changesInPlace(kubectl, path, server),
    waits(kubectl),
    cascades(kubectl),
  ]);
  await removes(kubectl);
});
