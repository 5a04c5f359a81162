/** The step that gives a pod its service account: its name, its token and its secrets for pulling images. */
import { type Admission, type ApiObject, forbiddenError, type RequestHookContext, StatusError } from "../../../plugin.ts";
import { chanceOf, goQuote, pause, randomSuffix, spell, systemClock } from "../../../toolbox.ts";
import type { Container, EphemeralContainer, VolumeMount } from "../../shared/pod/container.ts";
import type { PodSpec } from "../../shared/pod/pod-spec.ts";
import { podAnnotations } from "../../shared/pod/validate-pod-annotations.ts";
import type { Volume } from "../../shared/volumes/mod.ts";
import type { Pod } from "../pod-schema.ts";
import { pods } from "../pod.ts";

/** The members of a ServiceAccount that the step reads. */
interface ServiceAccount extends ApiObject {
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly secrets?: readonly { readonly name?: string }[];
}

const defaultAccount = "default", volumePrefix = "kube-api-access-";
/** Seconds of a token's life. Clients that do not renew theirs are found by the seven seconds. */
const tokenSeconds = 3607;
/** The pause before the account of a new namespace is looked for again. */
const retryMs = 100;
const never = new AbortController().signal;

export const serviceAccountStep: Admission<Pod> = {
  name: "ServiceAccount",
  resources: [pods],
  async mutate(next, prior, context) {
    if (prior !== undefined || isMirror(next, context)) return next;
    const name = next.spec.serviceAccountName || defaultAccount;
    const account = await accountOf(next, name, context);
    const named: PodSpec = { ...next.spec, serviceAccountName: name, serviceAccount: name };
    const mounts = named.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
    const spec = mounts ? withToken(named, next, context) : named;
    return { ...next, spec: withPullSecrets(spec, account) };
  },
  async refuse(next, prior, context) {
    const ofEphemeral = context.subresource === "ephemeralcontainers";
    if (prior !== undefined && !ofEphemeral) return undefined;
    if (isMirror(next, context)) return ofEphemeral ? undefined : reasonAgainstMirror(next);
    const { serviceAccountName: name = "" } = next.spec;
    if (name === "") return `no service account specified for pod ${next.metadata.namespace}/${next.metadata.name}`;
    const account = await accountOf(next, name, context);
    if (!isLimited(account, context)) return undefined;
    if (!ofEphemeral) return reasonAgainstSecrets(next, account);
    const why = reasonAgainstContainers(next, account, ["ephemeralContainers"]);
    // As upstream, which takes this for a fault of the server.
    if (why !== undefined) throw new StatusError("Unknown", why, { code: 500 });
    return undefined;
  },
};

function isMirror({ metadata: { annotations = {} } }: Pod, { names }: RequestHookContext): boolean {
  return Object.hasOwn(annotations, spell(names, podAnnotations.mirror));
}

function reasonAgainstMirror({ spec }: Pod): string | undefined {
  if ((spec.serviceAccountName ?? "") !== "") return "a mirror pod may not reference service accounts";
  const containers = [...spec.initContainers ?? [], ...spec.containers ?? []];
  const readsSecrets = (spec.imagePullSecrets ?? []).length > 0 || (spec.volumes ?? []).some(({ secret }) => secret !== undefined) ||
    containers.some((container) => secretsOf(container).length > 0);
  if (readsSecrets) return "a mirror pod may not reference secrets";
  const hasToken = (spec.volumes ?? []).some(({ projected }) => projected?.sources?.some((each) => each.serviceAccountToken !== undefined));
  return hasToken ? "a mirror pod may not use ServiceAccountToken volume projections" : undefined;
}

/** The account of the pod. The account `default` of a new namespace appears soon: it is looked for several times. */
async function accountOf(pod: Pod, name: string, context: RequestHookContext): Promise<ServiceAccount> {
  const namespace = pod.metadata.namespace!; // set by the server
  const triesMax = name === defaultAccount ? 10 : 1;
  for (let tries = 1;; tries++) {
    // `as`: the type of the resource `serviceaccounts`.
    const found = await context.read.get("v1", "serviceaccounts", namespace, name) as ServiceAccount | undefined;
    if (found !== undefined) return found;
    if (tries === triesMax) {
      const why = `error looking up service account ${namespace}/${name}: serviceaccount ${goQuote(name)} not found`;
      throw forbiddenError({ group: "", name: "pods" }, pod.metadata.name || pod.metadata.generateName || "Unknown", why);
    }
    await pause(retryMs, never, systemClock);
  }
}

function withPullSecrets(spec: PodSpec, { imagePullSecrets = [] }: ServiceAccount): PodSpec {
  if ((spec.imagePullSecrets ?? []).length > 0 || imagePullSecrets.length === 0) return spec;
  return { ...spec, imagePullSecrets: imagePullSecrets.map(({ name = "" }) => ({ name })) };
}

/** The spec with a volume of the account's token, mounted in each container that has nothing in its place. */
function withToken(spec: PodSpec, { metadata }: Pod, { names, server: { clock } }: RequestHookContext): PodSpec {
  const { volumes = [] } = spec, present = volumes.find(({ name }) => name.startsWith(volumePrefix));
  const { namespace = "", name: podName = metadata.generateName ?? "" } = metadata;
  const random = () => chanceOf(clock).number(`token volume of ${namespace}/${podName}`);
  const name = present?.name ?? `${volumePrefix}${randomSuffix(random)}`;
  const mount: VolumeMount = { name, readOnly: true, mountPath: spell(names, "/var/run/secrets/{platform}.io/serviceaccount") };
  const lacks = ({ volumeMounts = [] }: Container) => !volumeMounts.some(({ mountPath }) => mountPath === mount.mountPath);
  const mounted = (container: Container) =>
    lacks(container) ? { ...container, volumeMounts: [...container.volumeMounts ?? [], mount] } : container;
  const { containers, initContainers } = spec, needsVolume = [...containers ?? [], ...initContainers ?? []].some(lacks);
  return {
    ...spec,
    ...(containers === undefined || containers === null ? {} : { containers: containers.map(mounted) }),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(mounted) }),
    ...(present !== undefined || !needsVolume ? {} : { volumes: [...volumes, tokenVolume(name)] }),
  };
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { path: "token", expirationSeconds: tokenSeconds } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] } },
      ],
    },
  };
}

/** Whether pods of the account may use only the secrets that it lists. */
function isLimited({ metadata: { annotations = {} } }: ServiceAccount, { names }: RequestHookContext): boolean {
  const key = spell(names, "{platform}.io/enforce-mountable-secrets");
  return Object.hasOwn(annotations, key) && ["1", "t", "T", "true", "TRUE", "True"].includes(annotations[key]!);
}

const listedAs = { initContainers: "init container", containers: "container", ephemeralContainers: "ephemeral container" } as const;

function reasonAgainstSecrets(pod: Pod, account: ServiceAccount): string | undefined {
  const { name } = account.metadata, allowed = namesOf(account.secrets), pull = namesOf(account.imagePullSecrets);
  for (const { secret } of pod.spec.volumes ?? []) {
    const { secretName = "" } = secret ?? {};
    if (secret !== undefined && !allowed.has(secretName)) {
      return `volume with secret.secretName="${secretName}" is not allowed because service account ${name} does not reference that secret`;
    }
  }
  const reason = reasonAgainstContainers(pod, account, ["initContainers", "containers"]);
  if (reason !== undefined) return reason;
  const wrong = (pod.spec.imagePullSecrets ?? []).findIndex((each) => !pull.has(each.name ?? ""));
  if (wrong < 0) return undefined;
  const secret = pod.spec.imagePullSecrets![wrong]!.name ?? "";
  return `imagePullSecrets[${wrong}].name="${secret}" is not allowed because service account ${name} does not reference that imagePullSecret`;
}

function reasonAgainstContainers(pod: Pod, account: ServiceAccount, lists: readonly (keyof typeof listedAs)[]): string | undefined {
  const allowed = namesOf(account.secrets), because = `because service account ${account.metadata.name} does not reference that secret`;
  for (const list of lists) {
    for (const container of pod.spec[list] ?? []) {
      const wrong = secretsOf(container).find(({ secret }) => !allowed.has(secret));
      if (wrong === undefined) continue;
      const where = wrong.variable === undefined ? "envFrom" : `envVar ${wrong.variable}`;
      return `${listedAs[list]} ${container.name} with ${where} referencing secret.secretName="${wrong.secret}" is not allowed ${because}`;
    }
  }
  return undefined;
}

function namesOf(references: readonly { readonly name?: string }[] | undefined): ReadonlySet<string> {
  return new Set((references ?? []).map(({ name = "" }) => name));
}

/** The secrets that the environment of a container reads: of variables, then of whole secrets. */
function secretsOf(
  { env = [], envFrom = [] }: Container | EphemeralContainer,
): readonly { readonly secret: string; readonly variable?: string }[] {
  return [
    ...env.flatMap(({ name, valueFrom }) =>
      valueFrom?.secretKeyRef === undefined ? [] : [{ secret: valueFrom.secretKeyRef.name ?? "", variable: name }]
    ),
    ...envFrom.flatMap(({ secretRef }) => secretRef === undefined ? [] : [{ secret: secretRef.name ?? "" }]),
  ];
}
