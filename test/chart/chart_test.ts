// The chart rendered by Helm: each values file in charts/thole/ci gives valid objects, and pods that follow the rules.
// In Deno's suite only: it checks what Helm renders.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { parseArguments } from "../../server/config/parse.ts";
import { settingsDefaults } from "../../scripts/chart-settings.ts";
import { openTestServer } from "../../testing.ts";
import { stagesOf, words } from "../image/containerfile.ts";
import { run } from "../real-server.ts";
import { encryptionIn } from "../../server/encryption/configuration.ts";
import { chart, ciFiles, helmMissing, helms, render, type Rendered, template, the } from "./helm.ts";
import { known, wrongs } from "./kinds.ts";
import { ask } from "../requests.ts";

/** Kinds of other projects. */
const foreign = ["ServiceMonitor", "PrometheusRule", "Certificate", "Issuer"];

/** The pods of an object, each as a PodTemplate. */
function pods({ kind, metadata, spec }: Rendered): readonly { readonly of: string; readonly template: Rendered["spec"] }[] {
  if (["Deployment", "StatefulSet", "Job"].includes(kind)) return [{ of: `${kind}/${metadata.name}`, template: spec.template }];
  return kind === "Pod" ? [{ of: `${kind}/${metadata.name}`, template: { metadata: { labels: {} }, spec } }] : [];
}

/** The requirements of every pod, for all values. */
function assertHardened(of: string, { spec }: Rendered["spec"]): void {
  assert.equal(spec.securityContext.runAsNonRoot, true, of);
  assert.equal(spec.securityContext.seccompProfile.type, "RuntimeDefault", of);
  assert.equal(spec.enableServiceLinks, false, of);
  assert.equal(spec.hostNetwork ?? spec.hostPID ?? spec.hostIPC, undefined, of);
  for (const container of spec.containers) {
    const { securityContext, resources, image } = container;
    assert.equal(securityContext.allowPrivilegeEscalation, false, of);
    assert.equal(securityContext.readOnlyRootFilesystem, true, of);
    assert.equal(securityContext.privileged ?? false, false, of);
    assert.deepEqual(securityContext.capabilities, { drop: ["ALL"] }, of);
    assert.ok(resources.requests.cpu && resources.requests.memory && resources.limits.memory, of);
    assert.match(image, /(:[^/:]*\d[^/:]*|@sha256:[0-9a-f]{64})$/, "an exact version");
  }
  for (const volume of spec.volumes ?? []) assert.equal(volume.hostPath, undefined, of);
  const mounted = spec.containers.flatMap((container: Rendered) => container.volumeMounts ?? []).map((mount: Rendered) => mount.name);
  const declared = new Set((spec.volumes ?? []).map((volume: Rendered) => volume.name));
  for (const name of mounted) assert.ok(declared.has(name) || name === "data", `${of} mounts ${name}`);
}

test("wrongs() finds unknown and invalid fields of an object", () => {
  const template = { spec: { containers: [{ name: "a", imag: "b", ports: [{ containerPort: "1" }] }] } };
  const spec = { selector: { matchLabels: { a: 1 } }, template };
  assert.deepEqual(wrongs({ apiVersion: "apps/v1", kind: "Deployment", ...{ metadata: { name: "a" }, spec, stats: {} } }), [
    "Deployment.spec.selector.matchLabels[a]: 1 is no string",
    "Deployment.spec.template.spec.containers[0].imag is no field of V1Container",
    'Deployment.spec.template.spec.containers[0].ports[0].containerPort: "1" is no number',
    "Deployment.stats is no field of V1Deployment",
  ]);
  assert.deepEqual(wrongs({ apiVersion: "apps/v1", kind: "Deployment", ...{ spec: { template: {} } } }), [
    "Deployment.spec.selector is missing",
  ]);
  assert.deepEqual(wrongs({ apiVersion: "apps/v1", kind: "Deploy" }), ['Deploy: the type "V1Deploy" is not known']);
});

const skip = helmMissing();

for (const helm of helms()) {
  describe(`the chart by ${helm}`, () => {
    it("passes helm lint with every set of values", async () => {
      for (const file of ciFiles()) {
        const { code, output, errors } = await run(helm, ["lint", chart, "--strict", "--values", join(chart, "ci", file)]);
        assert.equal(code, 0, `${file}: ${output}${errors}`);
      }
    });

    for (const file of ciFiles()) {
      it(`renders valid objects from ${file}`, async () => {
        const objects = await render(helm, "--values", join(chart, "ci", file));
        const places = objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`);
        assert.equal(new Set(places).size, places.length, "no object twice");
        for (const object of objects) {
          if (foreign.includes(object.kind)) assert.ok(!known(object.apiVersion, object.kind));
          else assert.deepEqual(wrongs(object), [], `${object.kind}/${object.metadata.name}`);
          for (const { of, template } of pods(object)) assertHardened(of, template);
        }
        await assertServed(objects);
        assertTogether(objects);
      });
    }
  });
}

/** Our own server has some of the kinds, including PodTemplates, and validates their values. */
async function assertServed(objects: readonly Rendered[]): Promise<void> {
  await using server = await openTestServer();
  const post = async (path: string, body: object, what: string) => {
    const { status, text } = await ask(server, "POST", `/api/v1/namespaces/default/${path}?dryRun=All&fieldValidation=Strict`, body);
    assert.equal(status, 201, `${what}: ${text}`);
  };
  const plural: Readonly<Record<string, string>> = { Secret: "secrets", ConfigMap: "configmaps", ServiceAccount: "serviceaccounts" };
  for (const object of objects) {
    const path = plural[object.kind];
    const metadata = { ...object.metadata, namespace: "default" };
    if (path !== undefined) await post(path, { ...object, metadata }, `${object.kind}/${metadata.name}`);
    for (const { of, template } of pods(object)) {
      const volumes = (object["spec"].volumeClaimTemplates ?? []).map((claim: Rendered) => ({
        name: claim.metadata.name,
        persistentVolumeClaim: { claimName: claim.metadata.name },
      }));
      const spec = { ...template.spec, volumes: [...template.spec.volumes ?? [], ...volumes] };
      await post("podtemplates", { apiVersion: "v1", kind: "PodTemplate", metadata: { name: "a" }, template: { ...template, spec } }, of);
    }
    for (const claim of object["spec"]?.volumeClaimTemplates ?? []) {
      await post(
        "persistentvolumeclaims",
        { apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim },
        `${object.metadata.name}'s claim`,
      );
    }
  }
}

/** References between objects resolve. */
function assertTogether(objects: readonly Rendered[]): void {
  const labels = (of: Rendered) => of["spec"].template.metadata.labels as Readonly<Record<string, string>>;
  const workloads = objects.filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet");
  const picks = (selector: Readonly<Record<string, string>>) =>
    workloads.filter((workload) => Object.entries(selector).every(([key, value]) => labels(workload)[key] === value));
  for (const workload of workloads) assert.deepEqual(picks(workload["spec"].selector.matchLabels), [workload]);
  for (const service of objects.filter(({ kind }) => kind === "Service")) {
    const [workload, ...others] = picks(service["spec"].selector);
    assert.ok(workload !== undefined && others.length === 0, service.metadata.name);
    const ports = workload["spec"].template.spec.containers.flatMap((container: Rendered) => container["ports"]).map((port: Rendered) =>
      port["name"]
    );
    for (const { targetPort } of service["spec"].ports) assert.ok(ports.includes(targetPort), `${service.metadata.name}: ${targetPort}`);
  }
  for (const of of objects.filter(({ kind }) => kind === "PodDisruptionBudget")) {
    assert.equal(picks(of["spec"].selector.matchLabels).length, 1, of.metadata.name);
  }
  for (const policy of objects.filter(({ kind }) => kind === "NetworkPolicy")) {
    assert.equal(picks(policy["spec"].podSelector.matchLabels).length, 1, policy.metadata.name);
    assert.deepEqual(policy["spec"].policyTypes, ["Ingress", "Egress"], "what is not allowed is refused");
    for (const { ports, from = [] } of policy["spec"].ingress) {
      if (ports[0].port !== "https" || from.length === 0) continue;
      const own = objects.find(({ kind }) => kind === "Pod")?.metadata.labels ?? {};
      const admits = ({ podSelector, namespaceSelector }: Rendered) =>
        podSelector !== undefined && namespaceSelector === undefined &&
        Object.entries(podSelector.matchLabels).every(([key, value]) => own[key] === value);
      assert.ok(from.some(admits), "helm test reaches the servers");
    }
  }
  for (const monitor of objects.filter(({ kind }) => kind === "ServiceMonitor")) {
    const service = the(objects, "Service", monitor.metadata.name);
    for (const [key, value] of Object.entries(monitor["spec"].selector.matchLabels)) {
      assert.equal(service.metadata.labels?.[key], value);
    }
  }
}

/** The error of `helm template` for invalid values. */
async function refusal(...values: readonly string[]): Promise<string> {
  const helm = helms()[0]!;
  const outcome = await template(helm, ...values.flatMap((value) => ["--set", value])).then(() => "", (error: Error) => error.message);
  assert.notEqual(outcome, "", `${values} was taken`);
  return outcome;
}

describe("values.schema.json", { skip }, () => {
  it("rejects unknown values, and values of the wrong type", async () => {
    assert.match(await refusal("replicas=3"), /replicas/);
    assert.match(await refusal("liveSettings.request-timeot=3s"), /request-timeot/);
    assert.match(await refusal("liveSettings.request-timeout=soon"), /request-timeout/);
    assert.match(await refusal("liveSettings.feature-gates.AllAlpha=perhaps"), /AllAlpha/);
    assert.match(await refusal("certificates.mode=none"), /mode/);
    assert.match(await refusal("etcd.members=2"), /members/);
    assert.match(await refusal("apiService.enabled=true"), /groupVersions/);
    assert.match(await refusal("store.type=external"), /endpoints/);
  });
  it("allows one server with the embedded store", async () => {
    assert.match(await refusal("store.type=embedded"), /replicaCount/);
    assert.equal(typeof await template(helms()[0]!, "--set", "store.type=embedded,replicaCount=1"), "string");
  });
  it("gives only the process that starts workers the right to start processes", async () => {
    const command = async (...args: readonly string[]) => {
      const pod = the(await render(helms()[0]!, ...args), "Deployment", "demo-thole")["spec"].template.spec;
      return (pod.containers[0].command ?? []) as readonly string[]; // `as`: checked below
    };
    assert.deepEqual(await command(), []);
    const entryPoint = words(stagesOf(join(chart, "../../Containerfile")).at(-1)!, "ENTRYPOINT");
    for (const workers of ["2", "auto"]) {
      const given = await command("--set", `settings.workers=${workers}`);
      assert.deepEqual(given.filter((word) => word !== "--allow-run=/bin/deno"), entryPoint);
      assert.equal(given.length, entryPoint.length + 1);
    }
    assert.match(
      await refusal("settings.workers=2", "store.type=embedded", "replicaCount=1"),
      /settings\.workers: the embedded store belongs to one process/,
    );
  });
  it("leaves contradictions between values to the templates, whose errors name the solution", async () => {
    assert.match(await refusal("certificates.mode=existing"), /certificates\.existing\.serving: name the Secret/);
    assert.match(
      await refusal("settings.anonymous-auth=false", "authentication.tokens.create=false"),
      /the probes need a token, so set authentication\.tokens\.create or existingSecret/,
    );
  });
});

describe("the servers' pods", { skip }, () => {
  const rendered = (...args: readonly string[]) => render(helms()[0]!, ...args);
  /** A rendered configuration file, parsed by the server. */
  const parsed = (objects: readonly Rendered[]) => {
    const read = parseArguments(["--config=thole.yaml"], () => the(objects, "ConfigMap", "demo-thole")["data"]["thole.yaml"]);
    assert.ok(!read.help);
    return read.config;
  };
  const server = (objects: readonly Rendered[]) => the(objects, "Deployment", "demo-thole")["spec"].template;
  const defaults = JSON.parse(settingsDefaults()) as Readonly<Record<string, unknown>>; // `as`: the generated table

  it("do not restart if only settings change that are reloaded", async () => {
    const before = await rendered("--set", "certificates.mode=hook");
    const after = await rendered("--set", "liveSettings.feature-gates.AllAlpha=true,liveSettings.plugins={cluster}");
    assert.deepEqual(server(after), server(before));
    assert.match(the(after, "ConfigMap", "demo-thole")["data"]["thole.yaml"], /"AllAlpha":true/);
    const large = parsed(await rendered("--set", "liveSettings.max-requests-inflight=2000000"));
    assert.equal(large["max-requests-inflight"], 2_000_000, "numbers are written out");
    assert.notDeepEqual(server(await rendered("--set", "settings.group-domain=example.com")), server(before));
  });
  it("have only the settings that differ from the defaults of their flags", async () => {
    const argsOf = (objects: readonly Rendered[]) => server(objects).spec.containers[0].args as readonly string[];
    const fileOf = (objects: readonly Rendered[]) => the(objects, "ConfigMap", "demo-thole")["data"]["thole.yaml"].trim() as string;
    const own = await rendered();
    assert.deepEqual(argsOf(own).filter((flag) => Object.hasOwn(defaults, /^--([a-z\d-]+)/.exec(flag)![1]!)), ["--bind-address=0.0.0.0"]);
    assert.equal(fileOf(own), 'shutdown-delay-duration: "10s"');
    const changed = await rendered("--set", "settings.secure-port=8443,settings.v=2,liveSettings.max-requests-inflight=0");
    assert.ok(["--secure-port=8443", "--v=2"].every((flag) => argsOf(changed).includes(flag)));
    assert.equal(parsed(changed)["max-requests-inflight"], 0);
    const none = await rendered("--set", `liveSettings.shutdown-delay-duration=${defaults["shutdown-delay-duration"]}`);
    assert.equal(fileOf(none), "{}");
    assert.equal(parsed(none)["max-requests-inflight"], defaults["max-requests-inflight"]);
  });
  it("accept a token of system:masters only if the values ask for one", async () => {
    const tokens = async (...args: readonly string[]) => the(await rendered(...args), "Secret", "demo-thole-tokens")["stringData"];
    const own = await tokens();
    assert.deepEqual(Object.keys(own).toSorted(), ["metrics-token", "tokens.csv"]);
    assert.equal(own["tokens.csv"].trim(), `${own["metrics-token"]},system:metrics,metrics,"system:monitoring"`);
    const asked = await tokens("--set", "authentication.tokens.admin=true");
    assert.equal(asked["tokens.csv"].split("\n")[0], `${asked["admin-token"]},admin,admin,"system:masters"`);
    assert.equal(asked["tokens.csv"].trim().split("\n").length, 2);
  });
  it("have a longer grace period than the server needs at most", async () => {
    const objects = await rendered();
    const { spec } = server(objects);
    const delay = Number(/^shutdown-delay-duration: "(\d+)s"$/m.exec(the(objects, "ConfigMap", "demo-thole")["data"]["thole.yaml"])?.[1]);
    assert.ok(spec.terminationGracePeriodSeconds >= delay + 10 + 5, "ten seconds are for requests in flight");
  });
  it("sign service account tokens with one key: of the chart's Secret, or of a given one with further verifying keys", async () => {
    const argsOf = (objects: readonly Rendered[]) =>
      server(objects).spec.containers[0].args.filter((each: string) => /--service-account/.test(each));
    const own = await rendered(), path = "/etc/thole/service-account-key";
    const { data } = the(own, "Secret", "demo-thole-service-account-key");
    assert.match(Buffer.from(data["signing.key"], "base64").toString(), /^-----BEGIN RSA PRIVATE KEY-----\n/);
    assert.deepEqual(argsOf(own), [`--service-account-signing-key-file=${path}/signing.key`]);
    const flags = "authentication.serviceAccountKey.existingSecret=mine,authentication.serviceAccountKey.verifying={next.pem,last.pem}";
    const given = await rendered("--set", flags);
    assert.ok(!given.some(({ kind, metadata }) => kind === "Secret" && metadata.name.endsWith("service-account-key")));
    assert.deepEqual(argsOf(given), [
      `--service-account-signing-key-file=${path}/signing.key`,
      `--service-account-key-file=${path}/next.pem`,
      `--service-account-key-file=${path}/last.pem`,
    ]);
    assert.deepEqual(
      server(given).spec.volumes.find(({ name }: { readonly name: string }) => name === "service-account-key").secret.secretName,
      "mine",
    );
    const none = "authentication.serviceAccountKey.create=false";
    assert.match(await refusal(none), /several servers need one key for service account tokens/);
    assert.deepEqual(argsOf([the(await rendered("--set", `${none},replicaCount=1`), "Deployment", "demo-thole")]), []);
  });
  it("encrypt objects with a key of the chart's Secret, or with a given file", async () => {
    const setting = '"--encryption-provider-config=/etc/thole/encryption/encryption.yaml"', flags = "encryption.enabled=true";
    const argsOf = (objects: readonly Rendered[]) => JSON.stringify(server(objects).spec.containers[0].args);
    const volumeOf = (objects: readonly Rendered[]) =>
      server(objects).spec.volumes.find(({ name }: { readonly name: string }) => name === "encryption")?.secret.secretName;
    const none = await rendered();
    assert.deepEqual([argsOf(none).includes(setting), volumeOf(none)], [false, undefined]);
    const own = await rendered("--set", `${flags},encryption.resources={secrets,*.example.com}`), name = "demo-thole-encryption";
    assert.deepEqual([argsOf(own).includes(setting), volumeOf(own)], [true, name]);
    const { stringData, metadata } = the(own, "Secret", name) as any; // of a template
    assert.equal(metadata.annotations["helm.sh/resource-policy"], "keep");
    const read = encryptionIn(stringData["encryption.yaml"]);
    assert.ok("transformerOf" in read, JSON.stringify(read));
    assert.ok(read.transformerOf("", "secrets") !== undefined && read.transformerOf("example.com", "things") !== undefined);
    const other = the(await rendered("--set", flags), "Secret", name) as any;
    assert.notEqual(other.stringData["encryption.yaml"], stringData["encryption.yaml"], "each installation has a key of its own");
    const given = await rendered("--set", `${flags},encryption.existingSecret=mine`);
    assert.deepEqual([argsOf(given).includes(setting), volumeOf(given)], [true, "mine"]);
    assert.ok(!given.some(({ kind, metadata }) => kind === "Secret" && metadata.name === name));
  });
  it("have probes on /livez and /readyz, with a token if anonymous requests are disabled", async () => {
    const [container] = server(await rendered()).spec.containers;
    const paths = [container.startupProbe, container.livenessProbe, container.readinessProbe].map((probe) => probe.httpGet.path);
    assert.deepEqual(paths, ["/livez?exclude=etcd", "/livez?exclude=etcd", "/readyz"]);
    const [closed] = server(await rendered("--set", "settings.anonymous-auth=false")).spec.containers;
    assert.match(closed.livenessProbe.exec.command.join(" "), /https:\/\/127\.0\.0\.1:6443\/livez\?exclude=etcd --token-file=/);
    assert.match(
      closed.readinessProbe.exec.command.join(" "),
      /healthcheck\.ts https:\/\/127\.0\.0\.1:6443\/readyz --token-file=\/etc\/thole\/tokens\/metrics-token$/,
    );
  });
});

test("NOTES.txt ends with the next commands", () => {
  const notes = readFileSync(join(chart, "templates/NOTES.txt"), "utf8");
  assert.match(notes, /helm test \{\{ \.Release\.Name \}\} --namespace/);
});
