/** Generates docs/configuration.md from the settings table and the feature gates. */
import { type AnySetting, settings, settingWarnings } from "../../server/config/settings.ts";
import { kernelGates } from "../../core/released/gates.ts";
import { inertLadders } from "../../core/released/inert-gates.ts";
import { listedGates, shownDefault, valueForm } from "../../server/config/help.ts";
import { plugins } from "../../plugins/mod.ts";
import { gateEffect } from "./gate-effects.ts";

const page = `# Configuration

Set each setting as a flag, or under the same name in the YAML file of \`--config\`. Flags override the file. \`npm start -- --help\`
prints the same reference. Write lists and maps in the flag's syntax or as YAML:

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/thole/thole.schema.json
plugins: [-csi]                  # all but one
runtime-config:
  storage.k8s.io/v1beta1: true   # enable one group version
  v1/secrets: false              # disable one resource
feature-gates:
  WatchList: false
max-requests-inflight: 800
\`\`\`

The first line names the schema of the file (\`thole.schema.json\`, in the repository and in the package), by which editors complete and check it. \`thole check thole.yaml\`
(\`npm start -- check thole.yaml\`) finds every mistake in the file, the files that it names and the plugins, without starting; see
[Check a configuration](#check-a-configuration). Relative paths, also those in the configuration file, are below the working directory of the server, with \`npm start\` below the caller's.

## Check a configuration

\`thole check thole.yaml\` prints everything in one run, one line each, to the standard error:

\`\`\`
thole.yaml:2:1: error: unknown setting "secure-prt": did you mean "secure-port"?
thole.yaml:4:1: warning: --audit-log-compress has no effect with --audit-log-path=-, the standard output
tokens.csv:3: error: a quote is not closed
policy.yaml:8:17: warning: rules[0].resources[0].resources[0]: the core API group of this server has no resource "configmap": did you mean "configmaps"?
thole: 2 errors, 2 warnings
\`\`\`

It reads the configuration file, the audit policy, the authentication, authorization, admission and tracing configurations, kubeconfigs, token files, certificates and keys,
and loads the plugins. A place is \`FILE:LINE:COLUMN\`, in the forms that editors and CI read: of the field in its file, or of the setting in the configuration file. A mistake
in a flag of the command line has no place but \`thole\`.

- An **error** prevents a start: a name, mode, plugin, step, gate or version that does not exist, a value out of bounds, settings that exclude each other, a file that cannot be used.
- A **warning** does not: a setting that has no effect because of another one, or no value; a feature gate that changes nothing, is GA or deprecated; a deprecated setting; in an audit
  policy a verb, group or resource that does not exist, a rule that is never used, an unknown field; an issuer whose tokens may have any name; a metric that does not exist; and
  what the server warns of at its start. API groups with a domain of their own are not checked in audit policies: their custom resources are known when the server runs.

It exits with 1 if there is an error; with \`--strict\` a warning counts as one. With \`--store\` it also runs \`thole verify\`, if the configuration is valid.

## Reload

The server checks the file every second. It reloads a changed file when two consecutive checks find it the same. Symbolic links in the path
are followed, so updates of a mounted ConfigMap work. SIGHUP reloads the file at once.

- Plugins, group versions, resources, admission steps and unlocked gates change without a restart. Running requests finish on the old
  configuration. Discovery, OpenAPI and their ETags change; stored objects remain.
- A watch of a resource that is no longer served ends with an ERROR event. The event holds the 404 that a new request gets.
- Controllers restart. A controller does not run while its resources are not served; the log names them once, and once more when it runs again.
- A reload is all or nothing. One error in the file rejects all of it, and so does one changed setting whose row below gives a reason.
  The previous configuration stays active, and the log has the cause.
- \`apiserver_config_controller_automatic_reloads_total{status="success|failure"}\` counts reloads.
  \`apiserver_config_controller_automatic_reload_last_timestamp_seconds\` has the time of the last one.
  \`apiserver_config_controller_last_config_info\` has the SHA-256 of the active file.

Each module in \`plugins\` is loaded once; a new version of it needs a restart.

Certificate, CA and token files are reloaded independently of the configuration, one pair or bundle at a time. A changed file takes effect
when it is valid; until then it is rejected and logged. Their paths change only by a restart. See
[operators-guide.md](operators-guide.md#certificates).

## Served versions

By default stable versions are served; beta and alpha versions are not. \`runtime-config\` changes this. The most specific key wins:
\`group/version/resource\`, then \`group/version\`, then \`api/ga\`, \`api/beta\` or \`api/alpha\`, then \`api/all\`. A version that was removed in
this release is served only if its own \`group/version\` key enables it.

## Settings

`;

export function configurationPage(): string {
  const rows = Object.entries<AnySetting>(settings).map(([name, setting]) => {
    const going = settingWarnings([name]).map((text) => ` Deprecated: ${text}.`).join("");
    return [
      `\`--${name}${valueForm(setting)}\``,
      shownDefault(setting),
      `${setting.help}${going}`.replaceAll("<", "\\<"),
      setting.fixed ?? "yes",
    ];
  });
  const gates = listedGates([kernelGates, ...plugins.map(({ featureGates = {} }) => featureGates)]).map((gate) => [
    `\`${gate.name}\``,
    gate.stage,
    gate.default ? "on" : "off",
    gate.locked ? "locked" : "yes",
    gateEffect(gate.name, Object.hasOwn(inertLadders, gate.name)),
    gate.removed ?? "",
  ]);
  return [
    page,
    table(["flag", "default", "effect", "reload, or why not"], rows),
    "\n## Feature gates\n\n",
    "Example: `--feature-gates=Name=true,Other=false`. `AllAlpha` and `AllBeta` set every gate of that stage that is not named itself. Unknown gates\n",
    "and changes of locked gates are errors. For a gate or group version that kube-apiserver removed, the error names the release and the\n",
    "replacement. Setting a generally available or deprecated gate logs a warning, because the gate will be removed\n",
    "(`--suppress-deprecation-warnings`). The metric `kubernetes_feature_enabled` shows the state of each gate.\n",
    "Every gate of kube-apiserver 1.35 can be set. One without effect, set to another value than its default, logs a warning.\n\n",
    table(["gate", "stage", "default", "can be changed", "effect here", "removed in"], gates),
  ].join("");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  return [head, head.map(() => "---"), ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(" | ")} |\n`).join("");
}
