/** Selectors of devices as they are evaluated: whether a device is what an expression selects. */
import { Unreadable } from "../../core/scalars/unreadable.ts";
import { compile } from "../compile.ts";
import { parseExact } from "../functions/quantity/amount.ts";
import { QuantityValue } from "../functions/quantity/quantity.ts";
import { parseSemver } from "../functions/semver/parse.ts";
import { SemverValue } from "../functions/semver/semver.ts";
import { formatIssues } from "../issues.ts";
import { EntryMap } from "../value/collections.ts";
import { typeNameOf } from "../value/type.ts";
import { CelError, MapValue, type Value } from "../values.ts";
import { environmentOf } from "./selector.ts";

/** A device as a driver publishes it. Names without a domain belong to the driver. */
export interface DeviceFacts {
  readonly driver: string;
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, { readonly value: string }>>;
  readonly allowMultipleAllocations?: boolean | null;
}

/** An attribute of a device: one of the members is set. */
export interface DeviceAttribute {
  readonly int?: number | bigint | null;
  readonly bool?: boolean | null;
  readonly string?: string | null;
  readonly version?: string | null;
}

/** Whether an expression selects a device, or why that is not known, in upstream's words. */
export type Match = boolean | { readonly problem: string };

/** Makes the test of one expression. A device is given as `deviceValue` returns it. Expressions that are stored may use all libraries. */
export function compileMatcher(text: string): (device: Value) => Match {
  const compiled = compile(text, environmentOf({ minCompatibility: undefined, hasConsumableCapacity: true }));
  if (compiled.tag !== "program") {
    const why = compiled.tag === "failed" ? compiled.message : formatIssues(text, compiled.issues);
    return () => ({ problem: `CEL compile error: ${why}` });
  }
  return (device) => {
    if (device instanceof CelError) return { problem: `CEL runtime error: ${device.message}` };
    const { value } = compiled.program.evaluate((name) => name === "device" ? device : undefined);
    if (typeof value === "boolean") return value;
    if (value instanceof CelError) return { problem: `CEL runtime error: ${value.message}` };
    const type = typeNameOf(value), why = `type conversion error from '${type}' to 'bool'`;
    return { problem: `CEL runtime error: CEL result of type ${type} could not be converted to bool: ${why}` };
  };
}

/** Returns the variable `device` for a device; a `CelError` if an attribute cannot be read. */
export function deviceValue({ driver, attributes = {}, capacity = {}, allowMultipleAllocations }: DeviceFacts): Value {
  const byDomain = { attributes: new DomainMap(), capacity: new DomainMap() };
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = valueOfAttribute(attribute);
    if (value instanceof CelError) return new CelError(`attribute ${name}: ${value.message}`);
    byDomain.attributes.add(name, driver, value);
  }
  for (const [name, { value }] of Object.entries(capacity)) {
    const exact = parseExact(value);
    if (!(exact instanceof Unreadable)) byDomain.capacity.add(name, driver, new QuantityValue(exact));
  }
  const device = new EntryMap();
  device.set("driver", driver);
  device.set("attributes", byDomain.attributes);
  device.set("capacity", byDomain.capacity);
  device.set("allowMultipleAllocations", allowMultipleAllocations === true);
  return device;
}

/** Values by domain and name. A domain that the device does not have is an empty map, so that `has()` needs no test of the domain. */
class DomainMap extends MapValue {
  readonly #domains = new Map<Value, EntryMap>();
  override get size(): number {
    return this.#domains.size;
  }
  override find(key: Value): Value {
    return this.#domains.get(key) ?? noEntries;
  }
  override keys(): Iterable<Value> {
    return this.#domains.keys();
  }
  override contains(key: Value): boolean {
    return this.#domains.has(key);
  }
  /** Adds a value. Only for maps that no expression has seen. */
  add(name: string, driver: string, value: Value): void {
    const slash = name.indexOf("/"), domain = slash < 0 ? driver : name.slice(0, slash);
    const entries = this.#domains.get(domain) ?? new EntryMap();
    this.#domains.set(domain, entries);
    entries.set(name.slice(slash + 1), value);
  }
}

const noEntries: MapValue = new EntryMap();

function valueOfAttribute({ int, bool, string, version }: DeviceAttribute): Value {
  if (int !== undefined && int !== null) return BigInt(int);
  if (bool !== undefined && bool !== null) return bool;
  if (string !== undefined && string !== null) return string;
  if (version === undefined || version === null) return new CelError("unsupported attribute value");
  const parsed = parseSemver(version);
  return parsed instanceof Unreadable ? new CelError(`parse semantic version: ${parsed.error}`) : new SemverValue(parsed);
}
