// A chart with definitions in crds/ and custom resources in its templates, with every installed Helm.
// In Deno's suite only: what clients are answered does not depend on the runtime; kubectl_test.ts and client-node_test.ts run on both.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { helmMissing, helms } from "../chart/helm.ts";
import { type Client, httpsClient } from "../https.ts";
import { type Ran, type RealServer, run } from "../real-server.ts";
import { againstTheProgram, type Setup } from "./setups.ts";

const files: Readonly<Record<string, string>> = {
  "Chart.yaml": "apiVersion: v2\nname: gadgets\nversion: 1.0.0\n",
  "values.yaml": "size: 1\ncolour: ''\nextra: false\n",
  "crds/gadgets.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.helm.example.com}
spec:
  group: helm.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer, maximum: 10}
                colour: {type: string, default: blue}
                theirs: {type: string}
`,
  "templates/gadget.yaml": `apiVersion: helm.example.com/v1
kind: Gadget
metadata:
  name: {{ .Release.Name }}
  annotations: {lookup: {{ (lookup "helm.example.com/v1" "Gadget" .Release.Namespace .Release.Name).kind | default "none" }}}
spec:
  size: {{ .Values.size }}
  {{- with .Values.colour }}
  colour: {{ . }}
  {{- end }}
`,
  "templates/extra.yaml": `{{- if and .Values.extra (.Capabilities.APIVersions.Has "helm.example.com/v1/Gadget") }}
apiVersion: helm.example.com/v1
kind: Gadget
metadata: {name: extra}
{{- end }}
`,
};

async function chartIn(folder: string): Promise<string> {
  const chart = join(folder, "gadgets");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(chart, path, ".."), { recursive: true });
    await writeFile(join(chart, path), text);
  }
  return chart;
}

type Helm = (words: string) => Promise<Ran>;
async function good(helm: Helm, words: string): Promise<string> {
  const { code, output, errors } = await helm(words);
  assert.equal(code, 0, `helm ${words}: ${output}${errors}`);
  return output;
}

async function releaseLife(path: string, server: RealServer): Promise<void> {
  const chart = await chartIn(server.folder), home = join(server.folder, "helm");
  const env = { KUBECONFIG: server.kubeconfig, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, HOME: server.folder };
  const helm: Helm = (words) => run(path, words.split(" "), { env });
  const client = httpsClient(server);
  try {
    await life(helm, chart, client);
  } finally {
    client.close();
  }
}

async function life(helm: Helm, chart: string, client: Client): Promise<void> {
  const gadgets = "/apis/helm.example.com/v1/namespaces/apps/gadgets";
  const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.helm.example.com";
  const at = async (url: string) => {
    const answer = await client.ask(url);
    return answer.status === 404 ? undefined : answer.json();
  };
  const spec = async () => (await at(`${gadgets}/web`))?.spec;

  const installed = await good(helm, `install web ${chart} -n apps --create-namespace --wait --timeout 60s`);
  assert.match(installed, /STATUS: deployed/);
  assert.deepEqual(await spec(), { colour: "blue", size: 1 });
  const { uid } = (await at(definition)).metadata;
  const validated = await good(helm, `template other ${chart} -n apps --validate`);
  assert.match(validated, /kind: Gadget/);

  await good(helm, `upgrade web ${chart} -n apps --wait --timeout 60s --set size=2,colour=red,extra=true`);
  const upgraded = await at(`${gadgets}/web`);
  assert.deepEqual(upgraded.spec, { colour: "red", size: 2 });
  assert.equal(upgraded.metadata.annotations.lookup, "Gadget", "lookup() finds custom resources");
  assert.ok(await at(`${gadgets}/extra`), "the capabilities have the kind");
  const headers = { "content-type": "application/merge-patch+json" };
  await client.ask(`${gadgets}/web`, { method: "PATCH", body: { spec: { theirs: "kept" } }, headers });
  await good(helm, `upgrade web ${chart} -n apps --set size=3`);
  assert.deepEqual(await spec(), { colour: "blue", size: 3, theirs: "kept" });
  assert.equal(await at(`${gadgets}/extra`), undefined);

  const refused = await helm(`upgrade web ${chart} -n apps --set size=11`);
  assert.notEqual(refused.code, 0);
  assert.match(refused.errors, /spec\.size/);
  const dry = await good(helm, `upgrade web ${chart} -n apps --dry-run=server --set size=4`);
  assert.match(dry, /size: 4/);
  assert.equal((await spec()).size, 3);
  await good(helm, "rollback web 2 -n apps --wait --timeout 60s");
  assert.deepEqual(await spec(), { colour: "red", size: 2, theirs: "kept" });
  const manifest = await good(helm, "get manifest web -n apps");
  assert.match(manifest, /kind: Gadget/);
  assert.doesNotMatch(manifest, /CustomResourceDefinition/, "definitions are no part of a release");

  await good(helm, "uninstall web -n apps --wait --timeout 60s");
  assert.deepEqual((await at(gadgets)).items, []);
  assert.equal((await at(definition)).metadata.uid, uid, "definitions outlive the release");
  await good(helm, `install web ${chart} -n apps --wait --timeout 60s`);
  assert.equal((await at(definition)).metadata.uid, uid, "an existing definition is left as it is");
  assert.deepEqual(await spec(), { colour: "blue", size: 1 });
}

const setups: readonly Setup[] = [{ runtime: "deno", store: "sqlite" }, { runtime: "node", store: "etcd" }];
againstTheProgram("Helm installs definitions and custom resources", { paths: helms(), missing: helmMissing() }, setups, releaseLife);
