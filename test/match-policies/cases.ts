/**
 * Which policies and webhooks see a write, by the version of the request and of their rules. The same requests are sent to a server of ours and,
 * by `record.ts`, to a kube-apiserver.
 */
import { strict as assert } from "node:assert";
import { type AdmissionWebhook, answered, openAdmissionWebhook, patched, type ReceivedReview, webhookOf } from "../admission-webhook.ts";
import { until } from "../real-server.ts";

/** Sends one request. */
export type Ask = (method: string, path: string, body?: object, type?: string) => Promise<{
  readonly code: number;
  readonly warnings: readonly string[];
  // deno-lint-ignore no-explicit-any -- bodies of several kinds
  readonly body: any;
}>;

/** Who saw a request, and as what. */
export interface Seen {
  readonly code: number;
  /** Names of policies and webhooks by what they saw: resource and kind, those of the request, operation, object and old object. */
  readonly by: Readonly<Record<string, readonly string[]>>;
  /** The mutating webhooks that changed the number of replicas. */
  readonly changed: readonly string[];
}
export interface Recorded {
  /** By the name of the request. */
  readonly seen: Readonly<Record<string, Seen>>;
  /**
   * The requests that each mutating policy changed, alone: of several policies with different versions a kube-apiserver keeps the changes of one
   * version.
   */
  readonly mutated: Readonly<Record<string, readonly string[]>>;
}

/** The texts of the Warning headers. */
export function warningsOf(headers: Headers): readonly string[] {
  return [...(headers.get("warning") ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, each]) => each!);
}

const group = "rods.example.com", admission = "/apis/admissionregistration.k8s.io";
const versions = ["v1", "v1beta1", "v1alpha1"];
/** v1alpha1 has no subresources. The path of `scale` differs. */
const subresources = (replicas: string) => ({
  subresources: { status: {}, scale: { specReplicasPath: `.spec.${replicas}`, statusReplicasPath: ".status.replicas" } },
});
const parts: Readonly<Record<string, object>> = { v1: subresources("replicas"), v1beta1: subresources("size"), v1alpha1: {} };
const numbers = { type: "object", properties: { replicas: { type: "integer" }, size: { type: "integer" } } };
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `rods.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "rods", singular: "rod", kind: "Rod", listKind: "RodList" },
    versions: versions.map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      ...parts[name],
      schema: { openAPIV3Schema: { type: "object", properties: { spec: numbers, status: numbers } } },
    })),
  },
};

const rule = (version: string, operations: readonly string[]) => ({
  apiGroups: [group],
  apiVersions: [version],
  operations,
  resources: ["rods", "rods/status", "rods/scale"],
});
/** The rules of one version with one match policy: `exact-v1`. */
const matchers = ["Exact", "Equivalent"].flatMap((matchPolicy) => versions.map((version) => ({ matchPolicy, version })));
const nameOf = ({ matchPolicy, version }: (typeof matchers)[number]) => `${matchPolicy.toLowerCase()}-${version}`;
/** The mutating webhooks: each adds another power of two to the number of replicas. */
const hooks = matchers.map((matcher) => `hook-${nameOf(matcher)}`);

const text = (object: string) => `(${object} == null ? '-' : ${object}.apiVersion + ' ' + ${object}.kind)`;
const shown = [
  "request.resource.version",
  "(has(request.subResource) ? request.subResource : '-')",
  "request.kind.group + '/' + request.kind.version + '/' + request.kind.kind",
  "request.requestResource.version",
  "request.requestKind.group + '/' + request.requestKind.version + '/' + request.requestKind.kind",
  "request.operation",
  text("object"),
  text("oldObject"),
].join(" + ' ' + ");
function shownReview({ request }: ReceivedReview): string {
  const kindOf = ({ group, version, kind }: Record<string, string>) => `${group}/${version}/${kind}`;
  const objectOf = (object: Record<string, string> | null) => object === null ? "-" : `${object["apiVersion"]} ${object["kind"]}`;
  const { resource, subResource = "-", kind, requestResource, requestKind, operation, object, oldObject } = request;
  return [
    resource.version,
    subResource,
    kindOf(kind),
    requestResource.version,
    kindOf(requestKind),
    operation,
    objectOf(object),
    objectOf(oldObject),
  ]
    .join(" ");
}

const isStatus = "has(request.subResource) && request.subResource == 'status'";
const path = `(${isStatus} ? '/status/replicas' : '/spec/replicas')`,
  number = `(${isStatus} ? object.status.replicas : object.spec.replicas)`;
/** Number of replicas in each request. */
const given = 1024;
/** Mutating policies by name. */
const mutators = matchers.filter(({ version }) => version !== "v1alpha1").flatMap((matcher) =>
  ["json", "apply"].map((way) => ({ name: `${way}-${nameOf(matcher)}`, way, ...matcher }))
);
function mutation(way: string): object {
  const sum = `${number} + 1`;
  const json = `[JSONPatch{op: 'replace', path: ${path}, value: ${sum}}]`;
  const merged = `${isStatus} ? Object{status: Object.status{replicas: ${sum}}} : Object{spec: Object.spec{replicas: ${sum}}}`;
  return way === "json"
    ? { patchType: "JSONPatch", jsonPatch: { expression: json } }
    : { patchType: "ApplyConfiguration", applyConfiguration: { expression: merged } };
}

async function create(ask: Ask, at: string, object: object): Promise<void> {
  const { code, body } = await ask("POST", `${admission}/${at}`, object);
  assert.equal(code, 201, JSON.stringify(body));
}

/** Creates validating policies and webhooks of all matchers. */
async function configure(ask: Ask, hook: AdmissionWebhook): Promise<void> {
  const validating = async (name: string, matchConstraints: object, matchResources?: object) => {
    const validations = [{ expression: "false", messageExpression: `'seen ${name} ' + ${shown}` }];
    await create(ask, "v1/validatingadmissionpolicies", {
      metadata: { name },
      spec: { failurePolicy: "Fail", matchConstraints, validations },
    });
    const spec = { policyName: name, validationActions: ["Warn"], ...(matchResources === undefined ? {} : { matchResources }) };
    await create(ask, "v1/validatingadmissionpolicybindings", { metadata: { name }, spec });
  };
  const clientConfig = (name: string) => ({ url: `${hook.url}/${name}`, caBundle: hook.caBundle });
  for (const matcher of matchers) {
    const { matchPolicy, version } = matcher, name = nameOf(matcher), all = ["CREATE", "UPDATE", "DELETE"];
    await validating(`policy-${name}`, { matchPolicy, resourceRules: [rule(version, all)] });
    // Excluded, and bound, by a version.
    await validating(`without-${name}`, { matchPolicy, resourceRules: [rule("*", all)], excludeResourceRules: [rule(version, all)] });
    await validating(`bound-${name}`, { resourceRules: [rule("*", all)] }, { matchPolicy, resourceRules: [rule(version, all)] });
    const webhook = (prefix: string, operations: readonly string[]) =>
      webhookOf(hook, {
        name: `${prefix}-${name}.example.com`,
        clientConfig: clientConfig(`${prefix}-${name}`),
        matchPolicy,
        rules: [rule(version, operations)],
        reinvocationPolicy: undefined,
      });
    await create(ask, "v1/validatingwebhookconfigurations", { metadata: { name }, webhooks: [webhook("review", all)] });
    await create(ask, "v1/mutatingwebhookconfigurations", { metadata: { name }, webhooks: [webhook("hook", all)] });
  }
}

/** A request: its name in the recording, and how it is made for a version. */
interface Case {
  readonly name: string;
  readonly method: string;
  readonly at: string;
  readonly type?: string;
  readonly body?: (version: string, current: () => Promise<object>) => object | Promise<object>;
  readonly numberOf?: "spec" | "status";
}
const metadata = { name: "a", namespace: "default" };
const kinds: Readonly<Record<string, (version: string) => object>> = {
  "": (version) => ({ apiVersion: `${group}/${version}`, kind: "Rod", metadata }),
  "/status": (version) => ({ apiVersion: `${group}/${version}`, kind: "Rod", metadata }),
  "/scale": () => ({ apiVersion: "autoscaling/v1", kind: "Scale", metadata }),
};
function writes(subresource: string): readonly Case[] {
  const part = subresource === "/status" ? "status" : "spec", at = `/a${subresource}`;
  const value = { [part]: subresource === "" ? { replicas: given, size: given } : { replicas: given } };
  const about = { at, numberOf: part } as const, of = subresource === "" ? "object" : subresource.slice(1);
  return [
    { ...about, name: `put ${of}`, method: "PUT", body: async (_, current) => ({ ...await current(), ...value }) },
    { ...about, name: `merge patch ${of}`, method: "PATCH", type: "application/merge-patch+json", body: () => value },
    {
      ...about,
      name: `json patch ${of}`,
      method: "PATCH",
      type: "application/json-patch+json",
      body: () => [{ op: "replace", path: `/${part}/replicas`, value: given }],
    },
    {
      ...about,
      name: `apply ${of}`,
      method: "PATCH",
      at: `${at}?fieldManager=m&force=true`,
      type: "application/apply-patch+yaml",
      body: (version) => ({ ...kinds[subresource]!(version), ...value }),
    },
  ];
}
const whole = (version: string) => ({ ...kinds[""]!(version), spec: { replicas: given, size: given } });
const cases: readonly Case[] = [
  { name: "create", method: "POST", at: "", body: whole, numberOf: "spec" },
  ...writes(""),
  ...writes("/status"),
  ...writes("/scale"),
  { name: "delete", method: "DELETE", at: "/a" },
  {
    name: "create by apply",
    method: "PATCH",
    at: "/a?fieldManager=m",
    type: "application/apply-patch+yaml",
    body: whole,
    numberOf: "spec",
  },
  { name: "delete all", method: "DELETE", at: "" },
];

const resources = ["validatingwebhookconfigurations", "mutatingwebhookconfigurations", "validatingadmissionpolicies"];
const mutating = "v1beta1/mutatingadmissionpolicies", binding = "v1beta1/mutatingadmissionpolicybindings";

/** Sends all requests, one after another. */
export async function record(ask: Ask): Promise<Recorded> {
  const reviews: Record<string, string> = {};
  const hook = await openAdmissionWebhook((review, _response, at) => {
    const name = at.slice(at.lastIndexOf("/") + 1), { object, subResource } = review.request;
    reviews[name] = shownReview(review);
    if (!name.startsWith("hook-") || object === null) return answered(review);
    const part = subResource === "status" ? "status" : "spec", bit = hooks.indexOf(name);
    return patched(review, { op: "replace", path: `/${part}/replicas`, value: object[part].replicas + 2 ** bit });
  });
  const made = await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  assert.ok(made.code === 201 || made.code === 409, JSON.stringify(made.body));
  const collection = (version: string) => `/apis/${group}/${version}/namespaces/default/rods`;
  for (const version of versions) await until(async () => assert.equal((await ask("GET", collection(version))).code, 200));
  const send = async ({ method, at, type, body, numberOf }: Case, version: string, query = "") => {
    for (const name of Object.keys(reviews)) delete reviews[name];
    const base = collection(version), current = async () => (await ask("GET", `${base}${at}`)).body;
    const answer = await ask(method, `${base}${at}${query}`, await body?.(version, current), type);
    return { ...answer, added: numberOf === undefined || answer.code > 299 ? 0 : answer.body[numberOf].replicas - given };
  };
  const look = async (each: Case, version: string, query?: string): Promise<Seen> => {
    const { code, warnings, added } = await send(each, version, query), names = { ...reviews };
    for (const warning of warnings) {
      const [, name, what] = /seen ([a-z0-9-]+) (.*)$/.exec(warning) ?? [];
      if (name !== undefined) names[name] = what!;
    }
    const by: Record<string, string[]> = {};
    for (const name of Object.keys(names).sort()) (by[names[name]!] ??= []).push(name);
    return { code, by, changed: hooks.filter((_, bit) => (added >> bit & 1) === 1) };
  };
  const everyCase = async (visit: (each: Case, version: string) => Promise<void>) => {
    for (const version of versions) for (const each of cases) await visit(each, version);
  };
  try {
    await configure(ask, hook);
    await until(async () => {
      const names = new Set<string>();
      for (const version of versions) {
        for (const name of Object.values((await look(cases[0]!, version, "?dryRun=All")).by).flat()) names.add(name);
      }
      // A policy without the objects of any version sees none.
      assert.equal(names.size, matchers.length * 5 - 3, [...names].join(" "));
    });
    const seen: Record<string, Seen> = {};
    await everyCase(async (each, version) => void (seen[`${version} ${each.name}`] = await look(each, version)));
    for (const each of resources) await ask("DELETE", `${admission}/v1/${each}`);
    const mutated: Record<string, string[]> = {};
    for (const { name, way, matchPolicy, version } of mutators) {
      const matchConstraints = { matchPolicy, resourceRules: [rule(version, ["CREATE", "UPDATE"])] };
      // A kube-apiserver has no types for the Scale of a custom resource: the mutation fails.
      const spec = { failurePolicy: "Ignore", reinvocationPolicy: "Never", matchConstraints, mutations: [mutation(way)] };
      await create(ask, mutating, { metadata: { name }, spec });
      await create(ask, binding, { metadata: { name }, spec: { policyName: name } });
      const isInForce = async () => (await send(cases[0]!, version, "?dryRun=All")).added === 1;
      await until(async () => assert.ok(await isInForce()));
      mutated[name] = [];
      await everyCase(async (each, version) => {
        if ((await send(each, version)).added === 1) mutated[name]!.push(`${version} ${each.name}`);
      });
      for (const each of [mutating, binding]) await ask("DELETE", `${admission}/${each}/${name}`);
      await until(async () => assert.ok(!await isInForce()));
    }
    return { seen, mutated };
  } finally {
    await hook.close();
  }
}
