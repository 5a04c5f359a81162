// A release's lifecycle with every installed Helm, on both stores and both runtimes: its objects, and Helm's Secrets.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { helmMissing, helms } from "../chart/helm.ts";
import { httpsClient } from "../https.ts";
import { type Ran, type RealServer, run } from "../real-server.ts";
import { againstTheProgram, everySetup } from "./setups.ts";

/** ConfigMaps and Secrets: some unconditional, one conditional on a value, one a hook. */
const files: Readonly<Record<string, string>> = {
  "Chart.yaml": "apiVersion: v2\nname: settings\nversion: 1.2.3\nappVersion: '7'\n",
  "values.yaml": "colour: blue\npassword: hush\nextra: false\nname: settings\n",
  "templates/settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Values.name }}
  labels: {app.kubernetes.io/managed-by: {{ .Release.Service }}}
data:
  colour: {{ .Values.colour }}
  version: {{ .Capabilities.KubeVersion.Version }}
  serves: {{ .Capabilities.APIVersions.Has "storage.k8s.io/v1/StorageClass" | quote }}
`,
  "templates/secret.yaml": `apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: {{ .Values.password }}}
`,
  "templates/extra.yaml": `{{- if .Values.extra }}
apiVersion: v1
kind: ConfigMap
metadata: {name: extra}
{{- end }}
`,
  "templates/hook.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: before
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}
data: {revision: {{ .Release.Revision | quote }}}
`,
};

async function chartIn(folder: string): Promise<string> {
  const chart = join(folder, "settings");
  await mkdir(join(chart, "templates"), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(chart, path), text);
  return chart;
}

type Helm = (words: string) => Promise<Ran>;

async function good(helm: Helm, words: string): Promise<string> {
  const { code, output, errors } = await helm(words);
  assert.equal(code, 0, `helm ${words}: ${output}${errors}`);
  return output;
}

async function releaseLife(path: string, server: RealServer): Promise<void> {
  const chart = await chartIn(server.folder);
  const home = join(server.folder, "helm");
  const env = { KUBECONFIG: server.kubeconfig, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, HOME: server.folder };
  const helm: Helm = (words) => run(path, words.split(" "), { env });
  const client = httpsClient(server);
  const at = async (resource: string, name: string) => {
    const answer = await client.ask(`/api/v1/namespaces/apps/${resource}/${name}`);
    return answer.status === 404 ? undefined : answer.json();
  };
  const colour = async () => (await at("configmaps", "settings"))?.data.colour;
  const history = async () =>
    JSON.parse(await good(helm, "history web -n apps -o json")).map((row: { revision: number; status: string }) =>
      `${row.revision} ${row.status}`
    );
  try {
    const installed = await good(helm, `install web ${chart} -n apps --create-namespace --wait --timeout 60s --set colour=red`);
    assert.match(installed, /STATUS: deployed/);
    const made = await at("configmaps", "settings");
    assert.deepEqual(made.data, { colour: "red", version: made.data.version, serves: "true" });
    assert.match(made.data.version, /^v1\.35\./);
    assert.equal(made.metadata.annotations["meta.helm.sh/release-name"], "web");
    assert.equal(atob((await at("secrets", "login")).data.password), "hush");
    assert.equal((await at("configmaps", "before")).data.revision, "1");
    assert.equal((await at("secrets", "sh.helm.release.v1.web.v1")).type, "helm.sh/release.v1");
    assert.match(await good(helm, "list -A -o json"), /"name":"web","namespace":"apps","revision":"1"/);

    await good(helm, `upgrade web ${chart} -n apps --wait --timeout 60s --set colour=green,extra=true`);
    assert.equal(await colour(), "green");
    assert.ok(await at("configmaps", "extra"));
    // Changes by other clients are kept in fields that the chart does not set.
    const patch = { metadata: { labels: { theirs: "yes" } }, data: { theirs: "kept" } };
    const headers = { "content-type": "application/merge-patch+json" };
    await client.ask("/api/v1/namespaces/apps/configmaps/settings", { method: "PATCH", body: patch, headers });
    await good(helm, `upgrade web ${chart} -n apps --install --reuse-values --set extra=false`);
    const kept = await at("configmaps", "settings");
    assert.deepEqual([kept.data.colour, kept.data.theirs, kept.metadata.labels.theirs], ["green", "kept", "yes"]);
    assert.equal(await at("configmaps", "extra"), undefined);
    assert.equal((await at("configmaps", "before")).data.revision, "3");

    const refused = await helm(`upgrade web ${chart} -n apps --set name=Not_A_Name`);
    assert.notEqual(refused.code, 0);
    assert.match(refused.errors, /ConfigMap "Not_A_Name" is invalid: metadata\.name: Invalid value/);
    assert.deepEqual(await history(), ["1 superseded", "2 superseded", "3 deployed", "4 failed"]);

    await good(helm, "rollback web 1 -n apps --wait --timeout 60s");
    assert.equal(await colour(), "red");
    assert.deepEqual((await history()).slice(-2), ["4 failed", "5 deployed"]);
    assert.match(await good(helm, "get values web -n apps"), /colour: red/);
    assert.match(await good(helm, "get manifest web -n apps"), /colour: red/);
    const dry = await good(helm, `upgrade web ${chart} -n apps --dry-run=server --set colour=grey`);
    assert.match(dry, /colour: grey/);
    assert.equal(await colour(), "red");
    assert.match((await helm(`install web ${chart} -n apps`)).errors, /cannot (re-use|reuse) a name that is still in use/);

    await good(helm, "uninstall web -n apps --wait --timeout 60s");
    assert.deepEqual([await at("configmaps", "settings"), await at("secrets", "login")], [undefined, undefined]);
    assert.ok(await at("configmaps", "before"), "hooks are no part of a release");
    assert.equal((await client.ask("/api/v1/namespaces/apps/secrets?labelSelector=owner%3Dhelm")).json().items.length, 0);
    assert.match((await helm("status web -n apps")).errors, /release: not found/);
  } finally {
    client.close();
  }
}

againstTheProgram("Helm works against the program", { paths: helms(), missing: helmMissing() }, everySetup, releaseLife);
