// `thole check` in this process: every mistake and warning of all files, with places.
// In Deno's suite only: the checks are those of the start, which runs on both runtimes.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../../commands/check.ts";
import { plugins } from "../../plugins/mod.ts";
import { blockOf } from "../../tools/docs/page-blocks.ts";

interface Checked {
  readonly code: number;
  readonly output: readonly string[];
  readonly errors: readonly string[];
}

/** Runs the command in a folder with these files. `/` before a name in a text stands for the folder. */
async function check(files: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Checked> {
  const folder = await mkdtemp(join(tmpdir(), "thole-check-"));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text.replaceAll("@/", `${folder}/`));
    const output: string[] = [], errors: string[] = [], relative = (line: string) => line.replaceAll(`${folder}/`, "");
    const print = { log: (line: string) => void output.push(relative(line)), error: (line: string) => void errors.push(relative(line)) };
    return { code: await run([join(folder, "thole.yaml"), ...args], plugins, print), output, errors };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const policy = (rules: string) => `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n${rules}`;

test("check finds every mistake and warning of all files in one run, each at its place", async () => {
  const { code, output, errors } = await check({
    "thole.yaml": `secure-prt: 1
client-ca-file: "@/none.pem"
plugins: [clster]
feature-gates:
  WatchList: true
  Nope: true
v: loud
audit-policy-file: "@/policy.yaml"
audit-log-path: "@/audit.log"
audit-log-mode: blockin
authorization-mode: [RBCA]
etcd-cafile:
token-auth-file: "@/tokens.csv"
authentication-config: "@/authentication.yaml"
authentication-kubeconfig: "@/kubeconfig"
admission-control-config-file: "@/admission.yaml"
tracing-config-file: "@/tracing.json"
disabled-metrics: [apiserver_request_totl]
`,
    "policy.yaml": policy(`- level: All
  users: [5]
- level: Request
  stages: []
`),
    "tokens.csv": 'a,b\nt,u,1\n"x\n',
    "authentication.yaml": `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: http://x
    audience: y
  claimMappings: {username: {claim: sub, prefix: 5}}
`,
    "kubeconfig": `current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}]
clusters:
- name: c
  cluster: {server: "foo://x", certificate-authority: no.pem}
users:
- name: u
  user:
    client-key-data: "%"
    exec: {command: x}
`,
    "admission.yaml": `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: DefaultStorageClas
- name: DefaultStorageClass
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: AdmissionStepConfiguration
    matchConstraint: {}
extra: 1
`,
    "tracing.json": '{"apiVersion": "apiserver.config.k8s.io/v1",\n "kind": "TracingConfiguration",\n "endpoint" 1}\n',
  });
  assert.deepEqual([code, output], [1, []]);
  const wanted = [
    'thole.yaml:1:1: error: unknown setting "secure-prt": did you mean "secure-port"?',
    "thole.yaml:2:17: error: cannot read the client authorities: ENOENT",
    'thole.yaml:3:11: error: unknown plugin "clster": did you mean "cluster"?',
    'thole.yaml:6:3: error: unknown feature gate "Nope"',
    'thole.yaml:7:1: error: setting "v": "loud" is not a number',
    'thole.yaml:10:17: error: invalid audit log mode blockin, allowed modes are "batch,blocking,blocking-strict": did you mean "blocking"?',
    'thole.yaml:11:22: error: authorization-mode "RBCA" is not a valid mode: did you mean "RBAC"?',
    "thole.yaml:12:1: warning: --etcd-cafile has no value in the file: its default applies",
    'thole.yaml:18:20: warning: --disabled-metrics: there is no metric "apiserver_request_totl": did you mean "apiserver_request_total"?',
    "tokens.csv:1: error: expected token,user,uid",
    "tokens.csv:3: error: a quote is not closed",
    "authentication.yaml:4:3: error: jwt[0].issuer.audiences: Required value",
    'authentication.yaml:5:5: error: jwt[0].issuer.url: Invalid value: "http://x"',
    'authentication.yaml:6:5: error: unknown field "jwt[0].issuer.audience"',
    "authentication.yaml:7:42: error: json: cannot unmarshal number into Go struct field",
    "kubeconfig:5:13: error: the cluster has no valid server URL",
    "kubeconfig:5:32: error: ENOENT",
    "kubeconfig:9:5: error: client-key-data is not base64",
    'kubeconfig:10:5: error: "exec" of a user is not supported',
    "policy.yaml:4:3: error: rules[0].level: Unsupported value",
    "policy.yaml:5:11: error: rules[0].users[0]: must be a string",
    'admission.yaml:4:3: error: plugins[0]: unknown admission plugin: did you mean "DefaultStorageClass"?',
    "admission.yaml:6:3: error: matchConstraints: Required value",
    'admission.yaml:9:5: error: unknown field "matchConstraint"',
    'admission.yaml:10:1: error: unknown field "extra"',
    "tracing.json:3:13: error: ",
  ];
  for (const text of wanted) assert.ok(errors.some((line) => line.startsWith(text)), `${text}\n${errors.join("\n")}`);
  for (const line of errors.slice(0, -1)) assert.ok(wanted.some((text) => line.startsWith(text)), `not expected: ${line}`);
  assert.equal(errors.at(-1), "thole: 24 errors, 2 warnings");
});

test("check warns of what matches nothing or has no effect; with --strict a warning is an error", async () => {
  const files = {
    "thole.yaml":
      'audit-policy-file: "@/policy.yaml"\naudit-log-path: "-"\naudit-log-compress: true\nfeature-gates: {WatchCacheInitializationPostStartHook: true}\n',
    "policy.yaml": policy(`- level: None
  verbs: [lst]
  resources:
  - group: ""
    resources: [configmap]
- level: Metadata
`),
  };
  const wanted = [
    "thole.yaml:3:1: warning: --audit-log-compress has no effect with --audit-log-path=-, the standard output",
    'policy.yaml:5:11: warning: rules[0].verbs[0]: no request for resources has the verb "lst": did you mean "list"?',
    'policy.yaml:8:17: warning: rules[0].resources[0].resources[0]: the core API group of this server has no resource "configmap"',
  ];
  for (const args of [[], ["--strict"]]) {
    const { code, output, errors } = await check(files, ...args);
    assert.deepEqual([code, output.length], args.length === 0 ? [0, 1] : [1, 0]);
    for (const text of wanted) assert.ok(errors.some((line) => line.startsWith(text)), `${text}\n${errors.join("\n")}`);
    assert.match(errors.at(-1)!, /^thole: 0 errors, \d warnings?$/);
  }
});

test("check --strict accepts the policy and the settings of the guides", async () => {
  const guide = await readFile(new URL("../../docs/operators-guide.md", import.meta.url), "utf8");
  const [, example] = /```yaml\n( *apiVersion: audit[\s\S]*?)```/.exec(guide) ?? [];
  const text = example!.split("\n").map((line) => line.replace(/^ {3}/, "")).join("\n");
  const thole =
    'audit-policy-file: "@/policy.yaml"\naudit-log-path: "@/audit.log"\nservice-account-issuer: ["https://thole.example.com"]\n';
  const { code, errors } = await check({ "thole.yaml": thole, "policy.yaml": text }, "--strict");
  assert.deepEqual([code, errors], [0, []]);
});

test("docs/configuration.md: check prints these lines", async () => {
  const { errors } = await check({
    "thole.yaml": `audit-policy-file: "@/policy.yaml"
secure-prt: 1
audit-log-path: "-"
audit-log-compress: true
token-auth-file: "@/tokens.csv"
`,
    "policy.yaml": policy(`- level: None
  verbs: [list]
  resources:
  - group: ""
    resources: [configmap]
- level: Metadata
`),
    "tokens.csv": 't,u,1\n\n"x\n',
  }, "--service-account-issuer=https://thole.example.com");
  assert.deepEqual(errors, blockOf("docs/configuration.md", "thole.yaml:2:1: error").trimEnd().split("\n"));
});

test("check reports a flag of the command line and a file that is no YAML", async () => {
  const { errors } = await check({ "thole.yaml": "a: [\n" }, "--secure-port=70000", "--strct");
  assert.ok(errors.some((line) => /^thole\.yaml:\d+: error: yaml: line \d+: /.test(line)), errors.join("\n"));
  assert.ok(errors.includes('thole: error: flag "--secure-port": 70000 is not a port: it must be at most 65535'), errors.join("\n"));
  assert.ok(errors.some((line) => line.startsWith('thole: error: unknown flag "--strct"')), errors.join("\n"));
});
