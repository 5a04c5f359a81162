/**
 * The record of the ports on nodes that services use, in the form of upstream (a RangeAllocation at `ranges/servicenodeports`): a bit for each
 * port of the range, in base64. A write succeeds only for the newest state, so servers never give a port away twice. A record of another range,
 * or of another encoding, is made again from the services.
 */
import type { JsonObject, RequestHookContext } from "../../plugin.ts";
import { type Allocation, chanceOf, internalError } from "../../toolbox.ts";
import { portTriesMax } from "./bounds.ts";
import { freeNumber, lowNumbers } from "./free-number.ts";
import { nodePortsOf } from "./service-facts.ts";
import type { Service } from "./service-schema.ts";
import { nodePortRangeSetting } from "./settings.ts";

const path = "ranges/servicenodeports";

/** A range of ports, both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Reads the setting, which the server has checked: `30000-32767`, `30000+100` or one port. */
export function portRangeOf(value: string): PortRange {
  const plus = value.indexOf("+"), [start = "", end = start] = value.split(plus < 0 ? "-" : "+");
  const first = Number(start), second = Number(end);
  return { first, last: plus < 0 ? second : first + second };
}

/** The ports in use, and those that an operation takes and gives back. */
export class PortUse {
  readonly range: PortRange;
  readonly #used: Set<number>;
  readonly #isDryRun: boolean;
  readonly #random: () => number;

  /** @param isDryRun ports outside the range can be taken: upstream's dry runs look at the ports in use only */
  constructor(range: PortRange, used: Iterable<number>, isDryRun = false, random = anyRandom) {
    this.#random = random;
    this.range = range;
    this.#isDryRun = isDryRun;
    this.#used = new Set(used);
  }
  get used(): ReadonlySet<number> {
    return this.#used;
  }
  /** Takes a port. Returns why it cannot be taken. */
  take(port: number): string | undefined {
    const { first, last } = this.range;
    if (!this.#isDryRun && (port < first || port > last)) {
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    }
    if (this.#used.has(port)) return "provided port is already allocated";
    this.#used.add(port);
    return undefined;
  }
  /** Takes a free port, from a random one on; undefined if there is none. */
  takeFree(): number | undefined {
    const { first, last } = this.range, size = BigInt(last - first + 1);
    const found = freeNumber(size, lowNumbers(size, 32n, 128n), (each) => !this.#used.has(first + Number(each)), this.#random);
    if (found === undefined) return undefined;
    const port = first + Number(found);
    this.#used.add(port);
    return port;
  }
  giveBack(ports: Iterable<number>): void {
    for (const port of ports) this.#used.delete(port);
  }
}

const anyRandom = (): number => chanceOf({}).number("");

/** Runs an operation on the newest record, again after each write by another server. `isDryRun`: nothing is written. `random` chooses free ports. */
export async function changePorts<T>(
  { setting, records }: Pick<Allocation, "setting" | "records">,
  services: () => Promise<readonly Service[]>,
  operation: (use: PortUse) => T,
  isDryRun = false,
  random = anyRandom,
): Promise<T> {
  const range = portRangeOf(setting(nodePortRangeSetting));
  for (let tries = 0; tries < portTriesMax; tries++) {
    const found = await records.get(path);
    const before = usedIn(found?.value, range) ?? (await services()).flatMap(nodePortsOf);
    const use = new PortUse(range, before, isDryRun, random), result = operation(use);
    const isSame = found?.value !== undefined && usedIn(found.value, range) !== undefined && sameSet(use.used, new Set(before));
    if (isDryRun || isSame || await records.put(path, recordOf(use), found?.revision)) return result;
  }
  throw internalError("failed to allocate a nodePort: the record of ports is written by others all the time");
}

export async function hasRecord(records: Allocation["records"]): Promise<boolean> {
  return await records.get(path) !== undefined;
}

/** Gives ports back. Never rejects: ports that cannot be given back are logged, and stay in use. */
export async function releasePorts(ports: readonly number[], context: RequestHookContext): Promise<void> {
  if (ports.length === 0) return;
  try {
    await changePorts(context.allocation, () => storedServices(context), (use) => use.giveBack(ports));
  } catch (error) {
    context.server.failed(`release of the ports ${ports.join(", ")}`, error);
  }
}

export async function storedServices({ server }: RequestHookContext): Promise<readonly Service[]> {
  return await server.newest("v1", "services", "") as readonly Service[]; // the type of the resource
}

function sameSet(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}

/** The ports of a record; undefined if it is of another range or has another form. */
function usedIn(value: JsonObject | undefined, { first, last }: PortRange): readonly number[] | undefined {
  const data = value?.["data"];
  if (value?.["range"] !== `${first}-${last}` || (data !== undefined && typeof data !== "string")) return undefined;
  const bytes = Uint8Array.from(atob(data ?? ""), (each) => each.charCodeAt(0)), ports: number[] = [];
  for (const [i, byte] of bytes.entries()) {
    for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) ports.push(first + (bytes.length - 1 - i) * 8 + bit);
  }
  return ports;
}

/** The record: a number with a bit for each port, the highest byte first. */
function recordOf({ range: { first, last }, used }: PortUse): JsonObject {
  const offsets = [...used].map((port) => port - first).filter((offset) => offset >= 0 && offset <= last - first);
  const highest = offsets.reduce((high, offset) => offset > high ? offset : high, -1);
  const bytes = new Uint8Array(Math.floor(highest / 8) + 1);
  for (const offset of offsets) bytes[bytes.length - 1 - Math.floor(offset / 8)]! |= 1 << (offset % 8);
  const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return { kind: "RangeAllocation", apiVersion: "v1", metadata: {}, range: `${first}-${last}`, data };
}
