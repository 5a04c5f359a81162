/** docs/configuration.md, made of the table of settings and the ladders of gates. */
import { type AnySetting, settings, settingWarnings } from "../../kernel/config/settings.ts";
import { gatesWithoutEffect, kernelGates } from "../../kernel/catalog/gates.ts";
import { listedGates, shownDefault, valueForm } from "../../kernel/config/help.ts";
import { plugins } from "../../plugins/mod.ts";

const page = `# Configuration

Settings are flags or lines of a YAML file that \`--config\` names, by the same names; \`npm start -- --help\` tells the same as
this page. A flag on the command line wins over the file. Lists and maps may be written as the flag has them or as YAML:

\`\`\`yaml
plugins: [-csi]                  # all but one
runtime-config:
  storage.k8s.io/v1beta1: true   # one more group version
  v1/secrets: false              # one resource less
feature-gates:
  WatchList: false
max-requests-inflight: 800
\`\`\`

## What is read again

The server looks at the file every second, and reads it again once it has changed and has been still from one look to the next; a link on
the way to it counts, so that a mounted ConfigMap is taken over. SIGHUP has it read at once. Then

- plugins, group versions, resources, steps of admission and gates that are not locked come and go without a restart. Requests finish on what
  they began with, discovery, OpenAPI and their ETags follow, objects stay stored, and a watch of what went away ends with an ERROR event that
  holds the 404 of a new request. Controllers begin anew. One whose resources are not served does not run; the log names them once, and
  once more when it runs again.
- everything takes effect, or nothing: one mistake, or one changed setting that the table below marks with a reason, refuses the whole file.
  What was in force stays in force, and the log says why.
- \`apiserver_config_controller_automatic_reloads_total{status="success|failure"}\` counts,
  \`apiserver_config_controller_automatic_reload_last_timestamp_seconds\` tells when, and \`apiserver_config_controller_last_config_info\` which
  text (by its SHA-256) is in force.

A module that \`plugins\` names is loaded once: another version of it needs another start.

Files with certificates, authorities and tokens are followed by themselves, one pair or bundle at a time: what is in them counts as soon as it can
be used, and is refused with a line of the log until then. Their paths are not read again. See
[operators-guide.md](operators-guide.md#certificates).

## What is served

Stable versions are served, beta and alpha ones are not. \`runtime-config\` says otherwise, the most precise word counting:
\`group/version/resource\`, then \`group/version\`, then \`api/ga\`, \`api/beta\` or \`api/alpha\`, then \`api/all\`. A version that the release has
removed is served only by its own name.

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
    gate.locked ? "locked" : gatesWithoutEffect.includes(gate.name) ? "yes, without effect yet" : "yes",
    gate.removed ?? "",
  ]);
  return [
    page,
    table(["flag", "default", "what it does", "read again, or why not"], rows),
    "\n## Feature gates\n\n",
    "`--feature-gates=Name=true,Other=false`. `AllAlpha` and `AllBeta` set every gate of that stage that is not named itself. An unknown gate is a\n",
    "mistake, and so is a locked one that is changed: what it was for is always so; of a gate or a group version that kube-apiserver once had, the\n",
    "mistake names the release that removed it and what to use instead. Gates that are generally available or deprecated are warned of\n",
    "when they are set, because they go away (`--suppress-deprecation-warnings`). `kubernetes_feature_enabled` tells how each stands.\n\n",
    table(["gate", "stage", "default", "can be switched", "removed in"], gates),
  ].join("");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  return [head, head.map(() => "---"), ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(" | ")} |\n`).join("");
}
