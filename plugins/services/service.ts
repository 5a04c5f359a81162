import { serviceProxy } from "./service-proxy.ts";
import {
  ageColumn,
  type Column,
  defineResource,
  nameColumn,
  type RequestHookContext,
  type Resource,
  StatusError,
  type Subresource,
} from "../../plugin.ts";
import { label1035Name, labelName, metaRulesOf, type Names, spell, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { isRelaxed } from "../shared/gates.ts";
import { warnOfCidr } from "../shared/cidr.ts";
import { warnOfAddress } from "../shared/address-text.ts";
import { releaseAddresses, withAddresses } from "./allocate-addresses.ts";
import { withFamilies, withOldTypeDropped, withOneList, withStoredValues } from "./allocate-families.ts";
import { withNodePorts } from "./allocate-ports.ts";
import { rangeOf, settingRanges } from "./cluster-ranges.ts";
import { releasePorts } from "./port-record.ts";
import { addressesOf, type Family, isHeadless, isName, nodePortsOf, none, withSpec } from "./service-facts.ts";
import { validateService, validateServiceStatus, validateServiceUpdate } from "./service-rules.ts";
import { Service } from "./service-schema.ts";
import { clusterRangeSetting } from "./settings.ts";

function outsideText({ spec, status }: Service): string {
  const own = spec.externalIPs ?? [];
  if (spec.type === "ExternalName") return spec.externalName ?? "";
  if (spec.type === "ClusterIP" || spec.type === "NodePort") return own.length > 0 ? own.join(",") : "<none>";
  if (spec.type !== "LoadBalancer") return "<unknown>";
  const places = (status.loadBalancer?.ingress ?? []).map(({ ip = "", hostname = "" }) => ip === "" ? hostname : ip);
  const shown = [...new Set(places.filter((each) => each !== ""))].toSorted().join(",");
  if (own.length > 0) return [...(shown === "" ? [] : [shown]), ...own].join(",");
  return shown === "" ? "<pending>" : shown;
}

function portsText({ spec: { ports = [] } }: Service): string {
  if (ports.length === 0) return "<none>";
  return ports.map(({ port, nodePort = 0, protocol }) => `${port}${nodePort > 0 ? `:${nodePort}` : ""}/${protocol}`).join(",");
}

function selectorText({ spec: { selector = {} } }: Service): string {
  const entries = Object.entries(selector).toSorted(([a], [b]) => a < b ? -1 : 1);
  return entries.length === 0 ? "<none>" : entries.map(([key, value]) => `${key}=${value}`).join(",");
}

const columns: readonly Column<Service>[] = [
  nameColumn,
  { name: "Type", type: "string", description: "How the service is reached.", cell: ({ spec }) => spec.type ?? "" },
  { name: "Cluster-IP", type: "string", description: "The first cluster address.", cell: (service) => addressesOf(service)[0] ?? "<none>" },
  {
    name: "External-IP",
    type: "string",
    description: "The addresses from outside, or the name that the service stands for.",
    cell: outsideText,
  },
  { name: "Port(s)", type: "string", description: "The ports, with those on nodes.", cell: portsText },
  ageColumn,
  { name: "Selector", type: "string", description: "The labels of the pods.", priority: 1, cell: selectorText },
];

/** The families of the cluster, the default one first. */
function servedFamilies({ allocation: { setting } }: RequestHookContext): readonly Family[] {
  return settingRanges(setting(clusterRangeSetting)).flatMap((each) => rangeOf(each)?.family ?? []);
}

async function allocate(given: Service, prior: Service | undefined, context: RequestHookContext): Promise<Service> {
  const kept = prior === undefined ? given : withStoredValues(given, prior);
  const complete = withFamilies(withOneList(kept, prior), prior, servedFamilies(context), context.gates);
  return await withNodePorts(await withAddresses(complete, prior, context), prior, context);
}

/** Gives back what a removed service had, and removes the Endpoints of its name, which a new service must not find. */
async function release(service: Service, context: RequestHookContext): Promise<void> {
  const { name = "", namespace = "" } = service.metadata;
  try {
    await context.allocation.api.delete("v1", "endpoints", namespace, name);
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === "NotFound")) {
      context.server.failed(`deletion of the endpoints of ${name}`, error);
    }
  }
  if (!isName(service)) await releaseAddresses(addressesOf(service), context);
  await releasePorts(nodePortsOf(service), context);
}

function warnOfService(service: Service, names: Names): readonly string[] {
  const { metadata: { annotations = {} }, spec } = service;
  const hints = spell(names, "service.{platform}.io/topology-aware-hints"), mode = spell(names, "service.{platform}.io/topology-mode");
  const { clusterIP = "", loadBalancerIP = "", externalIPs = [], externalName = "" } = spec;
  const headless = isHeadless(service) && spec.type === "ClusterIP";
  return [
    ...(annotations[hints] === undefined ? [] : [`annotation ${hints} is deprecated, please use ${mode} instead`]),
    ...(clusterIP === "" || clusterIP === none
      ? []
      : addressesOf(service).flatMap((each, i) => warnOfAddress(each, `spec.clusterIPs[${i}]`))),
    ...(headless && loadBalancerIP !== "" ? ["spec.loadBalancerIP is ignored for headless services"] : []),
    ...(headless && externalIPs.length > 0 ? ["spec.externalIPs is ignored for headless services"] : []),
    ...(headless && spec.sessionAffinity !== "None" ? ["spec.SessionAffinity is ignored for headless services"] : []),
    ...externalIPs.flatMap((each, i) => warnOfAddress(each, `spec.externalIPs[${i}]`)),
    ...(loadBalancerIP === "" ? [] : warnOfAddress(loadBalancerIP, "spec.loadBalancerIP")),
    ...(spec.loadBalancerSourceRanges ?? []).flatMap((each, i) => warnOfCidr(each, `spec.loadBalancerSourceRanges[${i}]`)),
    ...(isName(service) && externalIPs.length > 0 ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(!isName(service) && externalName !== "" ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : []),
    ...(spec.trafficDistribution === "PreferClose" ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'] : []),
  ];
}

function prepare(next: Service, prior: Service | undefined): Service {
  const kept = prior === undefined ? next : withOldTypeDropped(next, prior);
  // A service that stands for a name has no traffic of its own; upstream drops its policy when it is read.
  const own = isName(kept) && kept.spec.internalTrafficPolicy !== undefined ? withSpec(kept, { internalTrafficPolicy: undefined }) : kept;
  if (prior === undefined) return { ...own, status: { loadBalancer: {} } };
  return own.spec.type === "LoadBalancer" ? own : { ...own, status: { ...own.status, loadBalancer: {} } };
}

const status: Subresource<Service> = {
  write: (next, prior) => ({ ...next, spec: prior.spec }),
  update: (next, prior, { names, gates }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(services, names)),
    ...validateServiceStatus(next, prior, gates),
  ],
  leaves: ["spec"],
};

export const services: Resource<Service> = defineResource({
  kind: "Service",
  scope: "Namespaced",
  shortNames: ["svc"],
  categories: ["all"],
  summary: "A name, an address and ports for a group of pods.",
  storedAs: "v1",
  storedUnder: "services/specs",
  served: {
    v1: {
      schema: Service,
      introduced: "1.0",
      columns,
      subresources: { status, proxy: { connect: serviceProxy } },
      selectableFields: { "spec.clusterIP": ({ spec }) => spec.clusterIP ?? "", "spec.type": ({ spec }) => spec.type ?? "" },
    },
  },
  strategy: { deleteAnswers: "object", createOnUpdate: true, coreFinalizers: true, nameRule: label1035Name, ownMetaRules: true },
  allocate,
  release,
  prepare,
  create: (next, context) => [
    ...validateObjectMeta(next.metadata, {
      ...metaRulesOf(services, context.names),
      ...(isRelaxed(context.gates) ? { nameRule: labelName } : {}),
    }),
    ...validateService(next, undefined, context),
  ],
  update: (next, prior, context) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(services, context.names)),
    ...validateServiceUpdate(next, prior, context),
  ],
  warn: (next, _prior, { names, subresource }) =>
    subresource === "status"
      ? (next.status.loadBalancer?.ingress ?? []).flatMap(({ ip = "" }, i) =>
        ip === "" ? [] : warnOfAddress(ip, `status.loadBalancer.ingress[${i}]`)
      )
      : warnOfService(next, names),
});
