/** What claims request, as the search for devices needs it. */
import { numberOf } from "../placement/quantity.ts";
import type { Store } from "../world/store.ts";
import type { DeviceStores } from "../world/world.ts";
import type { ResourceClaim } from "./pod-claims.ts";
import type { PlacedDevice, Pool } from "./pools.ts";
import type { Selection } from "./selection.ts";

type ObjectOf<S> = S extends Store<infer T> ? T : never;
/** A class of devices. */
export type DeviceClass = ObjectOf<DeviceStores["classes"]>;
type Request = ResourceClaim["spec"]["devices"]["requests"][number];
type Asked = NonNullable<Request["firstAvailable"]>[number] | NonNullable<Request["exactly"]>;

/** One way to satisfy a request. */
export interface Option {
  /** The name of the request in results: with the alternative, if there are several. */
  readonly name: string;
  /** The names by which constraints and configurations refer to the request. */
  readonly names: readonly string[];
  readonly deviceClass: DeviceClass;
  readonly asked: Asked;
  readonly isAdmin: boolean;
  readonly count: number;
  /** The devices of a request for all of them. */
  readonly all?: readonly PlacedDevice[];
}

/** Where devices are searched. */
export interface Search {
  readonly pools: readonly Pool[];
  readonly selection: Selection;
  readonly classOf: (name: string) => DeviceClass | undefined;
}

/** Something that keeps a pod from all nodes until it is mended. */
export class Failure extends Error {}

/** Returns the ways to satisfy a request, the preferred one first. Throws a Failure if one of them cannot be looked at. */
export function optionsOf(claim: ResourceClaim, { name, exactly, firstAvailable = [] }: Request, search: Search): readonly Option[] {
  if (exactly !== undefined && exactly !== null) return [optionOf(claim, { name, names: [name], asked: exactly }, search)];
  return firstAvailable.map((asked) => {
    const whole = `${name}/${asked.name}`;
    return optionOf(claim, { name: whole, names: [name, whole], asked }, search);
  });
}

function optionOf(claim: ResourceClaim, part: Pick<Option, "name" | "names" | "asked">, search: Search): Option {
  const { asked } = part, deviceClass = search.classOf(asked.deviceClassName);
  const isAdmin = "adminAccess" in asked && asked.adminAccess === true;
  const fail = (why: string): never => {
    throw new Failure(`claim ${textOf(claim)}, request ${part.names.at(-1)}: ${why}`);
  };
  if (deviceClass === undefined) return fail(`could not retrieve device class ${asked.deviceClassName}`);
  const option = { ...part, deviceClass, isAdmin, count: Number(asked.count ?? 1) };
  if (asked.allocationMode !== "All") return option;
  const broken = search.pools.find(({ isIncomplete, isInvalid }) => isIncomplete || isInvalid);
  if (broken !== undefined) {
    const state = broken.isIncomplete ? "being updated" : "invalid";
    return fail(`asks for all devices, but resource pool ${broken.name} is currently ${state}`);
  }
  const all = search.pools.flatMap(({ devices }) => devices.filter((device) => isSelected(claim, option, device, search.selection)));
  return { ...option, all, count: all.length };
}

/** Whether a device is what the class and the request select. Throws a Failure if an expression fails. */
export function isSelected(claim: ResourceClaim, { deviceClass, asked }: Option, placed: PlacedDevice, selection: Selection): boolean {
  if ((placed.device.bindingConditions ?? []).length > 0) return false;
  for (
    const [selectors, of] of [
      [deviceClass.spec.selectors, `class ${deviceClass.metadata.name}`],
      [asked.selectors, `claim ${textOf(claim)}`],
    ] as const
  ) {
    const match = selection.selects(selectors, placed);
    if (match === false) return false;
    if (match !== true) throw new Failure(`${of}: ${match.problem}`);
  }
  return true;
}

/** Whether the request tolerates the taints of a device, and the device has what the request asks for of its capacities. */
export function isSuitable({ asked }: Option, { device: { taints = [], capacity = {} }, driver }: PlacedDevice): boolean {
  const isTolerated = taints.every((taint) =>
    taint.effect === "None" ||
    (asked.tolerations ?? []).some(({ key = "", operator = "Equal", value = "", effect = "" }) =>
      (effect === "" || effect === taint.effect) && (key === "" || key === taint.key) &&
      (operator === "Exists" || value === (taint.value ?? ""))
    )
  );
  return isTolerated && Object.entries(asked.capacity?.requests ?? {}).every(([name, amount]) => {
    const own = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name, found = capacity[name] ?? capacity[own];
    return found !== undefined && numberOf(amount) <= numberOf(found.value);
  });
}

/** The claim as messages name it. */
const textOf = ({ metadata: { namespace, name } }: ResourceClaim): string => `${namespace}/${name}`;
