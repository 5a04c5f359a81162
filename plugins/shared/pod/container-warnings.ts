/** Warnings about the containers of a template, with upstream's order and texts (pkg/api/pod/warnings.go). */
import { goQuote, type Names, spell } from "../../../toolbox.ts";
import { containersWithPaths } from "./containers-of.ts";
import type { Container, ContainerPort, EphemeralContainer } from "./container.ts";
import type { PodTemplateSpec } from "./pod-spec.ts";
import type { AppArmorProfile } from "./security.ts";
import { fractionOf } from "./fraction.ts";
import { bound } from "../../../core/bound.ts";

/** Ports, and files of one volume, that are compared for the warnings of a template. */
export const comparedForWarningsMax = bound(256);

type AnyContainer = Container | EphemeralContainer;

export function warnOfContainers(template: PodTemplateSpec, prefix: string, names: Names): readonly string[] {
  const containers = containersWithPaths(template.spec, `${prefix}spec`);
  return [
    ...containers.flatMap(([container, at]) => [
      ...warnOfAnnotations(container, template, `${prefix}metadata.annotations`, names),
      ...warnOfFractions(container, at),
      ...warnOfHidden(container, `${at}.env`),
    ]),
    ...warnOfPorts(containers),
    ...warnOfPortNames(containers),
  ];
}

/** Warns about annotations that were replaced by fields. */
function warnOfAnnotations(
  { name, securityContext }: AnyContainer,
  { metadata: { annotations = {} }, spec }: PodTemplateSpec,
  path: string,
  names: Names,
): readonly string[] {
  const seccomp = spell(names, `container.seccomp.security.alpha.{platform}.io/${name}`);
  const appArmor = spell(names, `container.apparmor.security.beta.{platform}.io/${name}`);
  const warnings: string[] = [];
  if (securityContext?.seccompProfile === undefined && Object.hasOwn(annotations, seccomp)) {
    warnings.push(`${path}[${seccomp}]: non-functional in v1.27+; use the "seccompProfile" field instead`);
  }
  // The warnings of pods themselves come with the change of the annotation to the field, which Windows pods do not have.
  const isTemplate = path !== "metadata.annotations";
  if (isTemplate && securityContext?.appArmorProfile === undefined && Object.hasOwn(annotations, appArmor)) {
    const same = matchesAnnotation(spec.securityContext?.appArmorProfile, annotations[appArmor]!);
    if (!same) warnings.push(`${path}[${appArmor}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
  return warnings;
}

/** Whether the pod's profile is equal to the deprecated annotation. */
function matchesAnnotation(profile: AppArmorProfile | undefined, annotation: string): boolean {
  if (profile === undefined) return false;
  const { type, localhostProfile } = profile;
  if (type === "Localhost") return (localhostProfile ?? "") !== "" && annotation === `localhost/${localhostProfile}`;
  return localhostProfile === undefined && annotation === (type === "Unconfined" ? "unconfined" : "runtime/default");
}

function warnOfFractions({ resources: { limits = {}, requests = {} } = {} }: AnyContainer, path: string): readonly string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) => [
    ...fractionOf(limits, name, `${path}.resources.limits`),
    ...fractionOf(requests, name, `${path}.resources.requests`),
  ]);
}

/** Warns about a repeated variable that does not use its previous value, because apply keeps only one of the two. */
function warnOfHidden({ env = [] }: AnyContainer, path: string): readonly string[] {
  const seen = new Set<string>();
  return env.flatMap(({ name, value = "", valueFrom }, i) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    const usesPrevious = valueFrom === undefined && value !== reference && value.includes(reference);
    return usesPrevious ? [] : [`${path}[${i}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`];
  });
}

interface PortWithPath {
  readonly port: ContainerPort;
  readonly at: string;
}
type ContainersWithPaths = readonly (readonly [container: AnyContainer, path: string])[];

function portsOf(containers: ContainersWithPaths): readonly PortWithPath[] {
  const all = containers.flatMap(([{ ports = [] }, path]) => ports.map((port, i) => ({ port, at: `${path}.ports[${i}]` })));
  return all.slice(0, comparedForWarningsMax);
}

function warnOfPorts(containers: ContainersWithPaths): readonly string[] {
  const known = new Map<string, PortWithPath[]>();
  return portsOf(containers).flatMap((opened) => {
    const { port, at } = opened, { hostIP = "", hostPort = 0, containerPort, protocol = "", name = "" } = port;
    const key = `${containerPort}/${protocol}`, others = known.get(key) ?? [];
    known.set(key, [...others, opened]);
    const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
    return [
      ...(hostIP !== "" && hostPort === 0 ? [`${at}: hostIP set without hostPort: ${shown}`] : []),
      ...others.flatMap((other) => warnOfPair(port, other.port).map((word) => `${at}: ${word} port definition with ${other.at}`)),
    ];
  });
}

/** How a port conflicts with another one of the same number and protocol. */
function warnOfPair(port: ContainerPort, other: ContainerPort): readonly string[] {
  const { hostIP = "", hostPort = 0 } = port, { hostIP: otherIP = "", hostPort: otherPort = 0 } = other;
  if (hostIP === otherIP && hostPort === otherPort) return ["duplicate"];
  if (hostPort === 0 || otherPort === 0) return ["overlapping"];
  return hostPort === otherPort && (hostIP === "") !== (otherIP === "") ? ["dangerously ambiguous"] : [];
}

function warnOfPortNames(containers: ContainersWithPaths): readonly string[] {
  const known = new Map<string, string>();
  return portsOf(containers).flatMap(({ port: { name = "" }, at }) => {
    const first = known.get(name);
    if (name !== "" && first === undefined) known.set(name, at);
    return name === "" || first === undefined
      ? []
      : [`${at}: duplicate port name ${goQuote(name)} with ${first}, services and probes that select ports by name will use ${first}`];
  });
}
