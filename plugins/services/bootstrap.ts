/** The ServiceCIDR with the ranges of the setting, and the Service of the API itself, as kube-apiserver's controllers of these names. */
import { type ApiObject, type ControllerContext, type StartHook, StatusError } from "../../plugin.ts";
import { pause, spell, systemClock, timestampOf } from "../../toolbox.ts";
import { followEndpoints } from "./api-endpoints.ts";
import { canonicalAddress } from "../shared/addresses.ts";
import { bytesOf, defaultRange, rangeOf, settingRanges } from "./cluster-ranges.ts";
import type { ServiceCIDR } from "./ranges-schema.ts";
import { clusterRangeSetting, portSetting } from "./settings.ts";

const v1 = "networking.{domain}/v1";
const apiPort = 443;
/** Milliseconds between looks for the namespace. */
const namespaceMs = 20;

/** Creates the default range, if it is absent, and says that it is ready. A second range of the setting is added. */
async function keepRange({ api, clock, setting }: ControllerContext): Promise<void> {
  const cidrs = settingRanges(setting(clusterRangeSetting));
  let range = await found(api.get(v1, "servicecidrs", "", defaultRange)) as ServiceCIDR | undefined; // the type of the resource
  if (range === undefined) {
    const made = api.create(v1, "servicecidrs", "", { metadata: { name: defaultRange }, spec: { cidrs } });
    range = await made.catch(unlessExists) as ServiceCIDR | undefined;
    if (range === undefined) return; // another server makes it ready
  }
  const own = range.spec.cidrs ?? [];
  if (own.length === 1 && cidrs.length === 2 && own[0] === cidrs[0]) {
    await api.update(v1, "servicecidrs", "", defaultRange, { ...range, spec: { cidrs } });
    return;
  }
  const isOurs = own.length === cidrs.length && own.every((each, i) => each === cidrs[i]);
  const ready = (range.status.conditions ?? []).find(({ type }) => type === "Ready");
  if (!isOurs || range.metadata.deletionTimestamp !== undefined || (ready !== undefined && ready.status !== "Unknown")) return;
  const condition = {
    type: "Ready",
    status: "True",
    reason: "",
    message: "Kubernetes default Service CIDR is ready",
    lastTransitionTime: timestampOf(clock.now()),
  };
  const fieldManager = "kubernetes-service-cidr-controller";
  await api.apply(v1, "servicecidrs", "", defaultRange, { status: { conditions: [condition] } }, { subresource: "status", fieldManager });
}

/** Creates the Service of the API, with the first address of the default range. */
async function keepService({ api, setting }: ControllerContext, signal: AbortSignal): Promise<void> {
  const namespace = "default";
  // Another hook creates the namespace at the first start.
  while (!signal.aborted && await found(api.get("v1", "namespaces", "", namespace)) === undefined) {
    await pause(namespaceMs, signal, systemClock);
  }
  if (await found(api.get("v1", "services", namespace, defaultRange)) !== undefined) return;
  const range = rangeOf(settingRanges(setting(clusterRangeSetting))[0]!)!; // the setting was checked
  const service = {
    metadata: { name: defaultRange, labels: { provider: "kubernetes", component: "apiserver" } },
    spec: {
      type: "ClusterIP",
      clusterIP: canonicalAddress(bytesOf(range.first, range.family)),
      ipFamilyPolicy: "SingleStack",
      ipFamilies: [range.family],
      sessionAffinity: "None",
      ports: [{ name: "https", protocol: "TCP", port: apiPort, targetPort: setting(portSetting) || apiPort }],
    },
  };
  await api.create("v1", "services", namespace, service).catch(async (error: unknown) => {
    // Another server that starts has created it, or has its address already.
    if (await found(api.get("v1", "services", namespace, defaultRange)) === undefined) throw error;
  });
}

async function found(reading: Promise<ApiObject>): Promise<ApiObject | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return undefined;
    throw error;
  }
}
/** Another server has created the object. */
function unlessExists(error: unknown): undefined {
  if (!(error instanceof StatusError && error.reason === "AlreadyExists")) throw error;
}

/** Whether a kind is served: --runtime-config can leave it out. */
export function serves({ api, names }: ControllerContext, groupVersion: string, resource: string): boolean {
  const home = spell(names, groupVersion);
  return api.collections("create").some((each) => each.groupVersion === home && each.resource === resource);
}

export const defaultRangeHook: StartHook = Object.freeze<StartHook>({
  name: "start-kubernetes-service-cidr-controller",
  fieldManager: "kube-apiserver",
  async run(world) {
    if (serves(world, v1, "servicecidrs")) await keepRange(world);
  },
});

export const apiServiceHook: StartHook = Object.freeze<StartHook>({
  name: "bootstrap-controller",
  fieldManager: "kube-apiserver",
  async run(world, signal) {
    const isServed = serves(world, "v1", "services") && serves(world, "v1", "namespaces") && serves(world, v1, "ipaddresses");
    if (isServed) await keepService(world, signal);
  },
  follow: followEndpoints,
});
