/**
 * Completes services that were stored before a service had two addresses and families. kube-apiserver completes them whenever they are read
 * (defaultOnReadService); here they are completed once, in the store, so that lists stay the stored bytes.
 */
import { type ControllerContext, StatusError } from "../../plugin.ts";
import { familyOf } from "../shared/addresses.ts";
import { rangeOf, settingRanges } from "./cluster-ranges.ts";
import { addressesOf, familiesOf, type Family, isName, none, withSpec } from "./service-facts.ts";
import type { Service } from "./service-schema.ts";
import { clusterRangeSetting } from "./settings.ts";

/** Stores the services that lack something, and returns all of them in their complete form. */
export async function repairFamilies(world: ControllerContext, services: readonly Service[]): Promise<readonly Service[]> {
  const first = settingRanges(world.setting(clusterRangeSetting)).flatMap((each) => rangeOf(each)?.family ?? [])[0];
  const complete: Service[] = [];
  for (const service of services) {
    const whole = completed(service, first ?? "IPv4");
    if (whole !== service) await store(whole, world);
    complete.push(whole);
  }
  return complete;
}

/** The service with what upstream adds to it when it is read. `first` is the default family of the cluster. */
function completed(given: Service, first: Family): Service {
  if (isName(given)) return given.spec.internalTrafficPolicy === undefined ? given : withSpec(given, { internalTrafficPolicy: undefined });
  const { clusterIP = "", selector = {} } = given.spec, known = addressesOf(given);
  const service = clusterIP !== "" && known.length === 0 ? withSpec(given, { clusterIPs: [clusterIP] }) : given;
  if (familiesOf(service).length > 0) return service;
  if (clusterIP === none) {
    const lone = Object.keys(selector).length === 0, other = first === "IPv4" ? "IPv6" : "IPv4";
    return withSpec(service, {
      ipFamilies: lone ? [first, other] : [first],
      ipFamilyPolicy: lone ? "RequireDualStack" : "SingleStack",
    });
  }
  const ipFamilies = addressesOf(service).flatMap((each) => familyOf(each) ?? []);
  if (ipFamilies.length === 0) return service;
  return withSpec(service, { ipFamilies, ipFamilyPolicy: ipFamilies.length === 1 ? "SingleStack" : "RequireDualStack" });
}

/** A service that another write has changed meanwhile is completed by that write, one that breaks other rules stays as it is. */
async function store(service: Service, { api, logError }: ControllerContext): Promise<void> {
  const { namespace = "", name = "" } = service.metadata;
  try {
    await api.update("v1", "services", namespace, name, service);
  } catch (error) {
    if (error instanceof StatusError && ["Conflict", "NotFound"].includes(error.reason)) return;
    logError(`the IP families of the service ${namespace}/${name} cannot be stored`, error);
  }
}
