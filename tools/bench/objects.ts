/** Objects that are written during measurements. */
import { pod } from "./pods.ts";

/** Text of 1 kB that does not compress well. */
const filler = Array.from({ length: 100 }, (_, index) => String(index * 7919 % 9973).padStart(10, "x")).join("");

/** Below this path the bare server writes bodies to its store, by path or by the name in the body. */
export const putsPath = "/puts";

/** A ConfigMap with `bytes` of data; `n` makes each differ, and comes before the data in the JSON of every server. */
export function configMap(name: string, n: number | string, bytes: number = filler.length): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"n":"${n}","value":"${textOf(bytes)}"}}`;
}

/** What is written: ConfigMaps unless a scenario says otherwise. */
export type Written = "ConfigMap" | "Pod";

/** An object in JSON. `bytes`: of a ConfigMap's data. */
export function objectText(written: Written, name: string, n: number | string, bytes?: number): string {
  return written === "Pod" ? pod(name, n) : configMap(name, n, bytes);
}

/** The end of the path of an update: that of a Pod is one of its status, because hardly anything else of it can change. */
export function updatedPath(written: Written): "" | "/status" {
  return written === "Pod" ? "/status" : "";
}

/** A text of this length; whole thousands only repeat a constant. */
export function textOf(bytes: number): string {
  return bytes === filler.length ? filler : filler.repeat(Math.ceil(bytes / filler.length)).slice(0, bytes);
}
