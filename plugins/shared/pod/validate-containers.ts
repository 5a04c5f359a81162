/** Validation of containers, with upstream's order and texts (pkg/apis/core/validation). */
import { duplicate, type FieldError, forbidden, invalid, required } from "../../../plugin.ts";
import { append, notFound, portNumber, tooMany } from "../../../toolbox.ts";
import type { Container, ContainerPort } from "./container.ts";
import type { PodSpec } from "./pod-spec.ts";
import type { ValidationContext } from "./validation-options.ts";
import { label, portName, validateByRule, validateEnum, validateRequiredEnum } from "./rules.ts";
import { validateEnv, validateEnvFrom } from "./validate-environment.ts";
import { validateDevices, validateMounts } from "./validate-mounts.ts";
import { rejectLifecycleAndProbes, validateLifecycleAndProbes } from "./validate-probes.ts";
import { validateResources } from "./validate-resources.ts";
import { validateSecurityContext } from "./validate-security.ts";
import type { UsableVolumes } from "./validate-volumes.ts";

/** The properties of the pod that the validation of its containers uses. */
export interface PodFacts extends ValidationContext {
  readonly volumes: UsableVolumes;
  /** The names of its resource claims. */
  readonly claims: ReadonlySet<string>;
  readonly restartPolicy: string;
  readonly graceSeconds: number | bigint | undefined;
  /** The name of its operating system, if it is set. */
  readonly os: string | undefined;
  /** False if it has its own user namespace. */
  readonly hostUsers: boolean;
}

export function validateContainers(containers: readonly Container[], pod: PodFacts, path: string): readonly FieldError[] {
  if (containers.length === 0) return [required(path, "")];
  const names = new Set<string>();
  const errors = containers.flatMap((container, i) => {
    const at = `${path}[${i}]`, { name } = container;
    const again = names.has(name) ? [duplicate(`${at}.name`, name)] : [];
    names.add(name);
    return [
      ...validateCommon(container, pod, at),
      ...again,
      ...validateLifecycleAndProbes(container, pod.graceSeconds, pod.os, at),
      ...validateRestart(container, at, ["Always", "Never", "OnFailure"]),
    ];
  });
  return [...errors, ...validateHostPorts(containers, (i) => `${path}[${i}]`)];
}

/** Validates init containers. They run one after the other, so two of them may use the same host port. */
export function validateInitContainers(
  containers: readonly Container[],
  regular: readonly Container[],
  pod: PodFacts,
  path: string,
): readonly FieldError[] {
  const names = new Set(regular.map(({ name }) => name));
  return containers.flatMap((container, i) => {
    const at = `${path}[${i}]`, { name } = container;
    const again = names.has(name) ? [duplicate(`${at}.name`, name)] : [];
    if (name !== "") names.add(name);
    const isSidecar = container.restartPolicy === "Always";
    return [
      ...validateCommon(container, pod, at),
      ...(isSidecar ? rejectRules(container, at) : validateInitRestart(container, at)),
      ...again,
      ...validateHostPorts([container], () => `${path}[0]`),
      ...(isSidecar ? validateLifecycleAndProbes(container, pod.graceSeconds, pod.os, at) : rejectLifecycleAndProbes(container, at)),
      ...(isSidecar || pod.options.initRestarts ? [] : rejectRestarts(container, `${at}.resizePolicy`)),
    ];
  });
}

function validateCommon(container: Container, pod: PodFacts, path: string): readonly FieldError[] {
  const { volumes, claims, restartPolicy, hostUsers } = pod;
  const { name, image = "", ports = [], env = [], envFrom = [], resources, securityContext } = container;
  return [
    ...(name === "" ? [required(`${path}.name`, "")] : label(name, `${path}.name`)),
    ...(image === "" ? [required(`${path}.image`, "")] : []),
    ...validateRequiredEnum(container.terminationMessagePolicy, ["File", "FallbackToLogsOnError"], `${path}.terminationMessagePolicy`),
    ...validatePorts(ports, `${path}.ports`),
    ...validateEnv(env, `${path}.env`),
    ...validateEnvFrom(envFrom, `${path}.envFrom`),
    ...validateMounts(container, volumes, `${path}.volumeMounts`),
    ...validateDevices(container, volumes, `${path}.volumeDevices`),
    ...validateRequiredEnum(container.imagePullPolicy, ["Always", "IfNotPresent", "Never"], `${path}.imagePullPolicy`),
    ...validateResources(resources, claims, pod, `${path}.resources`),
    ...validateResize(container, restartPolicy, `${path}.resizePolicy`),
    ...(securityContext === undefined ? [] : validateSecurityContext(securityContext, hostUsers, `${path}.securityContext`)),
  ];
}

function validatePorts(ports: readonly ContainerPort[], path: string): readonly FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = "", hostPort = 0, containerPort, protocol }, i) => {
    const at = `${path}[${i}]`;
    const errors: FieldError[] = [...(name === "" ? [] : validateByRule(portName, name, `${at}.name`))];
    if (name !== "" && errors.length === 0) {
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    if (containerPort === 0) errors.push(required(`${at}.containerPort`, ""));
    else for (const wrong of portNumber(containerPort)) errors.push(invalid(`${at}.containerPort`, containerPort, wrong));
    if (hostPort !== 0) { for (const wrong of portNumber(hostPort)) errors.push(invalid(`${at}.hostPort`, hostPort, wrong)); }
    return [...errors, ...validateRequiredEnum(protocol, ["SCTP", "TCP", "UDP"], `${at}.protocol`)];
  });
}

/** Checks that each host port is used once. */
function validateHostPorts(containers: readonly Container[], pathOf: (i: number) => string): readonly FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, i) =>
    ports.flatMap(({ protocol = "", hostIP = "", hostPort = 0 }, j) => {
      if (hostPort === 0) return [];
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) return [duplicate(`${pathOf(i)}.ports[${j}].hostPort`, key)];
      taken.add(key);
      return [];
    })
  );
}

/** Rejects restart rules of a sidecar, which is always restarted. */
function rejectRules({ restartPolicyRules = [] }: Container, path: string): readonly FieldError[] {
  if (restartPolicyRules.length === 0) return [];
  const why = "restartPolicyRules are not allowed for init containers with restart policy Always";
  return [forbidden(`${path}.restartPolicyRules`, why)];
}

/** As for other containers, but rules without a policy are not looked at. */
function validateInitRestart(container: Container, path: string): readonly FieldError[] {
  const errors = validateRestart(container, path, ["Always", "Never", "OnFailure"]);
  return container.restartPolicy === undefined ? errors.slice(0, 1) : errors;
}

/** Rejects the resize policy RestartContainer of an init container that is no sidecar. */
function rejectRestarts({ resizePolicy = [] }: Container, path: string): readonly FieldError[] {
  return resizePolicy.flatMap(({ restartPolicy }, i) =>
    restartPolicy === "RestartContainer"
      ? [invalid(`${path}[${i}].restartPolicy`, restartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers")]
      : []
  );
}

const restartRulesMax = 20, exitCodesMax = 255;

function validateRestart(
  { restartPolicy, restartPolicyRules = [] }: Container,
  path: string,
  words: readonly string[],
): readonly FieldError[] {
  const needed = restartPolicy === undefined && restartPolicyRules.length > 0;
  return [
    ...(needed ? [required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used")] : []),
    ...validateEnum(restartPolicy, words, `${path}.restartPolicy`),
    ...(restartPolicyRules.length > restartRulesMax
      ? [tooMany(`${path}.restartPolicyRules`, restartPolicyRules.length, restartRulesMax)]
      : []),
    ...restartPolicyRules.flatMap(({ action = "", exitCodes }, i) => {
      const at = `${path}.restartPolicyRules[${i}]`;
      if (exitCodes === undefined) {
        return [...validateEnum(action, ["Restart"], `${at}.action`), required(`${at}.exitCodes`, "must be specified")];
      }
      const { values = [] } = exitCodes;
      return [
        ...validateEnum(action, ["Restart"], `${at}.action`),
        ...validateEnum(exitCodes.operator ?? "", ["In", "NotIn"], `${at}.exitCodes.operator`),
        ...(values.length > exitCodesMax ? [tooMany(`${at}.exitCodes.values`, values.length, exitCodesMax)] : []),
      ];
    }),
  ];
}

function validateResize({ resizePolicy = [] }: Container, podPolicy: string, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return resizePolicy.flatMap(({ resourceName, restartPolicy }, i) => {
    const errors: FieldError[] = seen.has(resourceName) ? [duplicate(`${path}[${i}]`, resourceName)] : [];
    seen.add(resourceName);
    append(errors, validateRequiredEnum(resourceName, ["cpu", "memory"], path));
    append(errors, validateRequiredEnum(restartPolicy, ["NotRequired", "RestartContainer"], path));
    if (podPolicy === "Never" && restartPolicy !== "NotRequired") {
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
    return errors;
  });
}

/** Rejects blanks around the name of an image. Templates may have them. */
export function rejectBlanks(image: string | undefined, path: string): readonly FieldError[] {
  return image === undefined || image.trim() === image ? [] : [invalid(path, image, "must not have leading or trailing whitespace")];
}

/** Fields of a container that an ephemeral one cannot have, in the order of upstream's errors. */
const notEphemeral = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

/** Validates the ephemeral containers of a pod. Their names differ from those of all containers, and they target another container. */
export function validateEphemeralContainers(spec: PodSpec, pod: PodFacts, path: string): readonly FieldError[] {
  const others = new Set([...spec.containers ?? [], ...spec.initContainers ?? []].map(({ name }) => name)), names = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container, i) => {
    const at = `${path}[${i}]`, { name, targetContainerName: target = "", volumeMounts = [] } = container;
    const again = names.has(name) ? [duplicate(`${at}.name`, name)] : [];
    names.add(name);
    return [
      ...validateCommon(container, pod, at),
      ...rejectBlanks(container.image, `${at}.image`),
      ...again,
      ...(target === "" || others.has(target) ? [] : [notFound(`${at}.targetContainerName`, target)]),
      ...notEphemeral.filter((key) => isPresent(key, container[key])).map((key) => forbidden(`${at}.${key}`, notEphemeralText)),
      ...volumeMounts.flatMap((mount, j) =>
        (["subPath", "subPathExpr"] as const).filter((key) => (mount[key] ?? "") !== "").map((key) =>
          forbidden(`${at}.volumeMounts[${j}].${key}`, notEphemeralText)
        )
      ),
    ];
  });
}
const notEphemeralText = "cannot be set for an Ephemeral Container";

/** Whether a field is there, even if it is empty. `resources` is a value in upstream, and is there if it has a member. */
function isPresent(key: typeof notEphemeral[number], value: unknown): boolean {
  return key === "resources" ? Object.keys(value ?? {}).length > 0 : value !== undefined;
}

/** Rejects ephemeral containers in a template. */
export function rejectEphemeralContainers(containers: readonly unknown[], path: string): readonly FieldError[] {
  return containers.length === 0 ? [] : [forbidden(path, "ephemeral containers not allowed in pod template")];
}
