/** Conditions on the devices of a claim together. */
import type { ResourceClaim } from "./pod-claims.ts";
import type { PlacedDevice } from "./pools.ts";

type Constraint = NonNullable<ResourceClaim["spec"]["devices"]["constraints"]>[number];

/** A condition with the values of the devices that are chosen so far. */
export interface OpenConstraint {
  /** Adds a device for a request. Returns whether the condition is met with it; it is not added if not. */
  add(requests: readonly string[], device: PlacedDevice): boolean;
  /** Takes back the last device that was added. */
  remove(requests: readonly string[]): void;
}

/** Begins a constraint. `requests` of its functions are the names by which a constraint can refer to a request: its own, and with an alternative. */
export function openConstraint({ requests = [], matchAttribute, distinctAttribute }: Constraint): OpenConstraint {
  const values: string[] = [], attribute = matchAttribute ?? distinctAttribute ?? "", isMatch = (matchAttribute ?? "") !== "";
  const concerns = (names: readonly string[]) => requests.length === 0 || names.some((name) => requests.includes(name));
  return {
    add(names, device) {
      if (!concerns(names)) return true;
      const value = valueOf(device, attribute);
      if (value === undefined || (isMatch ? values.some((other) => other !== value) : values.includes(value))) return false;
      values.push(value);
      return true;
    },
    remove(names) {
      if (concerns(names)) values.pop();
    },
  };
}

/** The value of an attribute with its type, as a text; undefined if the device does not have it. Names without a domain belong to the driver. */
function valueOf({ device: { attributes = {} }, driver }: PlacedDevice, name: string): string | undefined {
  const own = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name, found = attributes[name] ?? attributes[own];
  if (found === undefined) return undefined;
  const member = Object.entries(found).find(([, value]) => value !== undefined && value !== null);
  return member === undefined ? undefined : `${member[0]} ${member[1]}`;
}
