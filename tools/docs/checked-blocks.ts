/**
 * How each block of code of the pages is checked: the one list of them. A new block needs a row here: the test that runs it, words of it that a
 * test has too, or the reason why no test can run it.
 */

export type Check =
  /** The test runs, applies or parses the whole block; it reads it from the page. */
  | { readonly test: string }
  /** The block is part of this file, or has these words of it, because it shows a part of what the file does. */
  | { readonly file: string; readonly words: readonly string[] }
  /** Nothing runs it. */
  | { readonly notRun: string };

export interface Row {
  readonly page: string;
  /** Begin of the block; no other block of the page begins so, unless `all`. */
  readonly begins: string;
  readonly all?: true;
  readonly check: Check;
}

/** Pages whose commands after `$` are followed from top to bottom, with the number of commands. Their other blocks have rows. */
export const followed: Readonly<Record<string, number>> = {
  "docs/quickstart.md": 10,
  "README.md": 3,
  "docs/access.md": 15,
  "docs/custom-resources.md": 30,
  "docs/quotas.md": 13,
};

const inTest = (page: string, begins: string, name: string): Row => ({ page, begins, check: { test: `test/${name}_test.ts` } });
const alike = (page: string, begins: string, file: string, ...words: string[]): Row => ({ page, begins, check: { file, words } });
const notRun = (page: string, begins: string, reason: string): Row => ({ page, begins, check: { notRun: reason } });

const quickstart = "docs/quickstart", others = "docs/other-pages", examples = "docs/plugin-page";
const authentication = "docs/authentication-page", webhooks = "docs/webhooks-page", behind = "access/behind-kube-apiserver";
const guide = "docs/operators-guide.md", plugin = "docs/writing-a-plugin.md", controller = "docs/writing-a-controller.md";
const migrating = "docs/migrating-from-kube-apiserver.md";
const install = "it downloads packages; the suite runs in a repository where that is done";

export const rows: readonly Row[] = [
  notRun("README.md", "npm ci && npm start", install),
  inTest("README.md", "Thole serves on", quickstart),
  inTest("README.md", "npm start -- --secure-port=7443", others),
  inTest("README.md", "thole: unknown flag", others),
  notRun("README.md", "npm ci && npm test", `${install}, and this is the suite`),
  alike("docs/testing.md", "await using fork = await", "testing/state/fork_test.ts", ".fork();"),
  alike("docs/testing.md", "before(async () => {", "testing/state/fork_test.ts", ".fork();", ".close()"),
  alike("docs/testing.md", "const fixture = server.snapshot()", "testing/state/snapshot_test.ts", "server.snapshot()", "server.restore("),
  alike("docs/testing.md", "assert.equal(await server.diff(", "testing/state/dump_test.ts", "assert.equal(await server.diff("),
  notRun("docs/testing.md", "~ Deployment shop/web", "an example of the text, whose lines testing/state/dump_test.ts checks"),
  alike(
    "docs/testing.md",
    "const server = await openTestServer({ seed: 7",
    "testing/state/seed_test.ts",
    "await openTestServer({ seed",
    'clock: "manual"',
  ),
  alike("docs/testing.md", "const before = await server.at(", "testing/state/history_test.ts", "server.at(", "await server.history("),
  alike("docs/testing.md", "import { expectState }", "testing/state/dump_test.ts", "await expectState(server, "),
  alike("docs/testing.md", "const { url, kubeconfig, caBundle }", "testing/listeners_test.ts", "server.listen()", "caBundle", "kubeconfig"),
  notRun("docs/testing.md", "LoadError: 2 of", "an example of the error, whose lines testing/state/load_test.ts checks"),
  alike(
    "docs/testing.md",
    "await using server = await openTestServer();\nawait server.load",
    "testing/state/load_test.ts",
    "await server.load(",
    "{ path: ",
  ),
  alike(
    "docs/testing.md",
    "const recording =",
    "testing/recording/recording_test.ts",
    "const recording = server.record()",
    "recording.requests({ verb: ",
  ),
  alike(
    "docs/testing.md",
    "await using server = await openTestServer({ clock",
    "testing/clock_test.ts",
    'await using server = await openTestServer({ clock: "manual"',
    "await server.clock.advance(",
  ),
  alike(
    "docs/testing.md",
    "await recording.save(",
    "testing/recording/replay_test.ts",
    "recording.save(",
    "other.replay({ path",
    "report.differences",
  ),
  alike("docs/testing.md", "thole record --to=", "test/operations/record_test.ts", "record", "--to=", "--kubeconfig="),
  notRun("docs/testing.md", "9 requests sent", "an example of the report, whose lines testing/recording/replay_test.ts checks"),
  alike("docs/testing.md", "using down =", "testing/faults/store-faults_test.ts", 'using down = server.faults.add({ store: "etcd down" })'),
  alike("docs/testing.md", "server.faults.add(", "testing/faults/faults_test.ts", "server.faults.add({ verb: ", "nth: 1", 'drop: "after"'),
  alike(
    "docs/testing.md",
    "const held =",
    "testing/faults/faults_test.ts",
    "const held = server.faults.hold({ resource: ",
    "held.release()",
    "held.flush((events) =>",
  ),
  alike("docs/testing.md", "thole --test-control", "examples/test-control-python/conftest.py", "--test-control", "--exit-on-stdin-close"),
  alike(
    "docs/testing.md",
    "Thole serves on",
    "test/flags/testing.ts",
    "Thole serves on",
    "export THOLE_TEST_URL=",
    "export THOLE_TEST_TOKEN=",
  ),
  inTest("docs/testing.md", "sed -n", "docs/testing-page"),
  alike("README.md", "import { builtInPlugins, start }", "docs/package.md", 'import { builtInPlugins, start } from "thole";'),

  inTest("docs/access.md", "apiVersion: audit.k8s.io/v1", quickstart),
  inTest("docs/access.md", "npm start --", quickstart),
  inTest("docs/admission.md", "apiVersion: apiserver.config.k8s.io/v1", "docs/admission-page"),
  alike(
    "docs/quotas.md",
    "apiVersion: apiserver.config.k8s.io/v1",
    "plugins/quotas/limited-resources_test.ts",
    ".storageclass.storage.k8s.io/requests.storage",
    "persistentvolumeclaims",
  ),
  { page: "docs/authentication.md", begins: "apiVersion: ", all: true, check: { test: `test/${authentication}_test.ts` } },
  inTest("docs/authentication.md", "kubectl create clusterrolebinding readers", authentication),
  inTest("docs/authentication.md", "kubectl create clusterrole act-for-others", authentication),
  alike(
    "docs/authentication.md",
    "rules:",
    "server/impersonation/constrained_test.ts",
    "impersonate:",
    "impersonate-on:",
    "serviceaccounts",
  ),
  inTest(guide, "thole --etcd-servers=https://etcd:2379 --etcd-servers-overrides", others),
  inTest(guide, "CREATE FUNCTION", "kine-store"),

  alike(
    "docs/in-front-of-other-servers.md",
    "apiVersion: apiregistration.k8s.io/v1",
    "test/aggregation/backend.ts",
    "groupPriorityMinimum: 100",
  ),
  inTest("docs/behind-a-kube-apiserver.md", "liveSettings:", others),
  inTest("docs/behind-a-kube-apiserver.md", "$ kubectl get apiservice", behind),
  // Its second command needs Helm and a cluster with nodes; test/chart renders and installs the chart.
  inTest("docs/behind-a-kube-apiserver.md", "kubectl -n kube-system get configmap", behind),
  inTest("docs/behind-a-kube-apiserver.md", "settings:", others),
  inTest("docs/configuration.md", "# yaml-language-server", others),
  inTest("docs/configuration.md", "thole.yaml:2:1: error", "check/check"),

  inTest("docs/client.md", "import { clientFrom }", "docs/client-page"),

  notRun("docs/custom-resources.md", "npm start", "the test starts the same server on another port"),
  inTest("docs/custom-resources.md", "Thole serves on", quickstart),
  inTest("docs/custom-resources.md", "conversion:", others),

  alike(
    "docs/instead-of-envtest.md",
    "npm install thole",
    "examples/controller-test-go/package.json",
    "npx thole envtest --dir=assets",
    "KUBEBUILDER_ASSETS=$PWD/assets go test ./...",
  ),
  alike(
    "docs/instead-of-envtest.md",
    "server, err := Start(",
    "examples/test-server-go/thole_test.go",
    "server, err := Start(t.Context(), ",
    "client, err := kubernetes.NewForConfig(server.Config)",
  ),
  alike(
    "docs/instead-of-envtest.md",
    "def test_configmaps",
    "examples/test-server-python/test_server.py",
    "def test_configmaps",
    "(api_server):",
    "client.CoreV1Api()",
    "list_namespaced_config_map",
  ),
  alike(
    "docs/instead-of-envtest.md",
    "const server = await start(",
    "examples/controller-test-typescript/greeter.test.ts",
    'start({ settings: { "data-dir": ":memory:", "secure-port": 0 } })',
    ".loadFromString(server.kubeconfigText)",
  ),
  alike("docs/instead-of-envtest.md", "Thole serves on", "examples/start-thole.mjs", "export KUBECONFIG="),

  alike(guide, "migrating widgets", "server/log/progress_test.ts", " objects (", " %), ", " a second, ", " s left"),
  inTest(guide, "npm start -- --data-dir", others),
  notRun(guide, "podman build", "it needs a container engine, a registry and a cluster; test/image and test/chart check image and chart"),
  alike(guide, "I1121 17:34:27", "test/operations/renewal_test.ts", "the serving certificate was renewed"),
  alike(guide, "thole verify --config", "test/verify_test.ts", "verify", "-o", "json"),
  alike(guide, "thole history deployments", "test/operations/history_test.ts", "history", "-n"),
  alike(guide, 'deployments.apps "web" in the namespace', "test/operations/history_test.ts", " versions in the revisions ", "changed by"),
  alike(guide, "thole backup --to=", "test/operations/backup-commands_test.ts", "backup", "--to=", "--data-dir="),
  alike(guide, "etcdctl --endpoints=https://etcd-0:2379", "test/operations/backup_test.ts", "snapshot", "save"),
  alike(guide, "etcdutl snapshot restore", "test/operations/set-back_test.ts", "--bump-revision=", "--mark-compacted"),
  alike(guide, "kill -STOP", "test/operations/backup_test.ts", "STOP", "CONT", "store.sqlite"),
  inTest(guide, "kubectl -n kube-system get lease", others),
  inTest(guide, "kubectl get storageversionmigrations", others),
  alike(guide, "thole --workers=2", "test/workers/workers_test.ts", "--workers=2", "--etcd-servers="),
  inTest(guide, "openssl genrsa", others),
  alike(
    guide,
    "etcdctl role grant-permission",
    "test/operations/rights_test.ts",
    "grant-permission",
    "--prefix=true",
    "readwrite",
    "/registry",
    "compact_rev_key",
  ),
  { page: guide, begins: "# encryption.yaml", check: { test: "server/encryption/configuration_test.ts" } },
  { page: guide, begins: "# kms.yaml", check: { test: "server/encryption/configuration_test.ts" } },
  inTest(guide, "apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration", others),
  inTest(guide, "npm install @grpc/grpc-js", others),
  alike(
    guide,
    "E1122 03:12:09",
    "kernel/store/sqlite/failures.ts",
    "the disk of the store file",
    "free space on that disk, or delete objects",
    "is full",
  ),
  alike(guide, "E1122 03:12:11", "test/operations/etcd-trouble_test.ts", "unreachable since", "is back after"),
  alike(
    guide,
    "E1122 03:20:09",
    "server/startup/steady-clock_test.ts",
    "against the time that has passed: expiry of objects and renewal",
    "the clock is right again",
  ),
  inTest(guide, "rule_files:", others),
  inTest(guide, "kubectl create -f -", "migration/removed-version"),
  notRun(guide, "etcdctl compact", "it needs jq and a newer etcdctl; test/operations/etcd-trouble_test.ts does the same by etcd's gateway"),
  inTest(guide, "apiVersion: audit.k8s.io/v1", others),

  alike(
    migrating,
    "etcdctl --endpoints",
    "test/import/kube-apiserver_test.ts",
    "snapshot",
    "save",
    "import",
    "--list",
    "--from-snapshot=",
  ),
  alike(migrating, "RESOURCE ", "commands/imported-text.ts", "RESOURCE", "VERSION", "NAMESPACE", "OBJECTS", "BYTES", "IMPORT"),
  alike(
    migrating,
    "thole import",
    "test/import/kube-apiserver_test.ts",
    "import",
    "--from-snapshot=",
    "--from-encryption-provider-config=",
    "--data-dir=",
  ),
  alike(migrating, "thole verify", "test/import/kube-apiserver_test.ts", "verify", "--data-dir="),

  alike("docs/package.md", "npm install ./thole", "test/package/installed_test.ts", "thole", "--data-dir=:memory:"),
  alike("docs/package.md", "deno run", "test/package/installed_test.ts", "-A", "--no-check", "start.ts"),
  inTest("docs/package.md", "import { builtInPlugins, start }", others),
  notRun("docs/package.md", "npm run release", "it changes the version of the repository, and runs the whole suite"),
  alike("docs/publishing-a-plugin.md", "npm create", "test/package/create.ts", "create", "thole-plugin", "--kind="),
  notRun(
    "docs/publishing-a-plugin.md",
    "npm start",
    "test/package/create.ts runs the plugin in its tests and in thole check, without a server that stays",
  ),
  notRun(
    "docs/publishing-a-plugin.md",
    "kubectl apply",
    "it needs that server; the tests of the plugin read the same objects in both versions",
  ),
  inTest("docs/publishing-a-plugin.md", "engine:", "package/installed"),
  inTest("docs/publishing-a-plugin.md", "const newer", "package/installed"),
  alike("docs/publishing-a-plugin.md", "npm version", "test/package/create.ts", "publish", "--dry-run"),
  alike(
    "docs/publishing-a-plugin.md",
    "npm install thole",
    "test/package/create.ts",
    "thole",
    "check",
    "--plugins=thole-plugin-",
  ),
  inTest("docs/publishing-a-plugin.md", "plugins:", "package/installed"),
  alike("docs/performance.md", "npm run bench ", "tools/bench/bench_test.ts", "--smoke", "--store"),

  notRun("docs/quickstart.md", "npm ci && npm start", install),
  inTest("docs/quickstart.md", "I1121", quickstart),
  { page: "docs/schema-language.md", begins: "", all: true, check: { test: "test/docs/schema-language_test.ts" } },
  inTest("docs/status-page.md", "kubectl proxy", others),
  inTest("docs/status-page.md", "apiVersion: rbac", others),

  notRun(
    "docs/upgrading.md",
    "thole convert -f ingress.yaml",
    "test/upgrade/command_test.ts runs each form of the command with files of its own",
  ),
  notRun(
    "docs/upgrading.md",
    "thole advise -f deploy/",
    "test/upgrade/advise-command_test.ts runs the forms of the command with files of its own",
  ),
  alike(
    "docs/upgrading.md",
    "deploy/night.yaml:2",
    "test/upgrade/advise-command_test.ts",
    "removed in 1.25; use batch/v1",
    "fix: thole convert -f",
  ),
  alike(
    "docs/upgrading.md",
    "/registry/cronjobs/shop/night",
    "test/upgrade/advise-store_test.ts",
    "is stored as batch/v1beta1, removed in 1.25; use batch/v1",
    "write the objects again: kubectl get",
  ),
  inTest("docs/upgrading.md", "# The front door.\napiVersion: extensions", "upgrade/conversions"),
  inTest("docs/upgrading.md", "# The front door.\napiVersion: networking", "upgrade/conversions"),

  inTest("docs/webhooks.md", "apiVersion: admissionregistration.k8s.io/v1", webhooks),
  inTest("docs/webhooks.md", '{\n  "kind": "AdmissionReview"', webhooks),
  inTest("docs/webhooks.md", "--webhook-addresses=", webhooks),
  inTest("docs/webhooks.md", "apiVersion: apiserver.config.k8s.io/v1", webhooks),
  inTest("docs/webhooks.md", "apiVersion: v1\nkind: Config", webhooks),
  inTest("docs/webhooks.md", "sum by (name)", webhooks),

  inTest(controller, "import { defineMetric,", "docs/controller-page"),
  inTest(controller, 'serviceAccount: "widget-publisher"', "docs/controller-page"),
  inTest(controller, "const client = api.of(widgets)", "docs/controller-page"),
  inTest(controller, "const informer =", "docs/controller-page"),
  alike(
    controller,
    "import { fakeApi,",
    "testing/fakes_test.ts",
    "fakeApi({ get: () => Promise.resolve(",
    "logError: (sentence) => logged.push(sentence)",
  ),
  alike(
    controller,
    "import { openTestServer }",
    "test/docs/controller-page_test.ts",
    "openTestServer({ plugins: [",
    "api.watch(",
    'metadata.name === "widget-a"',
  ),

  inTest(plugin, "import { ageColumn, checker,", "package/writing-a-plugin"),
  inTest(plugin, "npm start -- --plugins", others),
  inTest(plugin, "liveSettings:", others),
  inTest(plugin, 'import { builtInPlugins, start } from "thole";', others),
  inTest(plugin, 'import { openTestServer } from "thole/testing";', others),
  inTest(plugin, "const gated =", others),
  inTest(plugin, "import { checkRoundTrips }", others),
  alike(
    plugin,
    "seed 7: a Trip",
    "test/rounds/kit_test.ts",
    "is not the same when it is read and written back in",
    "spec.tier: ",
    " became absent",
  ),
  inTest(plugin, "const adjust =", others),
  inTest(plugin, '{\n  "compilerOptions"', "package/installed"),
  ...[
    "import {\n",
    "export const BetaDatabase",
    "const scale",
    "export const databases =",
    "const Estimate",
    "const quota",
    "export const databasesPlugin",
  ]
    .map((
      begins,
    ) => inTest(plugin, begins, examples)),
  inTest(plugin, "import { strict as assert }", examples),
  inTest(plugin, "const Limits", others),
  alike(plugin, "// 1. In the tree", "test/rule-ways/ways.ts", "self <= 5", "at most 5 replicas are allowed", "AtMostFive"),
  inTest(plugin, "# 3. As a policy", others),
  inTest(plugin, "import { Buffer }", "plugin-authenticators"),
  inTest(plugin, "await using server = await openTestServer({ plugins: [signedHeaderPlugin", "plugin-authenticators"),
  inTest(plugin, "import type { AuthenticatorDefinition, Plugin }", "plugin-settings"),
  inTest(plugin, "import type { AuditBackendDefinition", "plugin-audit-backends"),
  inTest(plugin, 'const settings = { "audit-policy-file"', "plugin-audit-backends"),
  inTest(plugin, "import { definedResource", "custom-resource-to-plugin"),
  inTest(plugin, "import { definePlugin, defineResource, field, int32, object, string, struct }", "custom-resource-to-plugin"),
];
