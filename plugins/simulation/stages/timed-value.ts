/** Objects as expressions in CEL see them: as their JSON, with the times of Pods and Nodes as timestamps. */
import { JsonMap, keysOfJson, valueOfJson } from "../../../cel/value/json.ts";
import { timestampOf } from "../../../cel/value/time.ts";
import { ListValue, MapValue, Timestamp, type Value } from "../../../cel/values.ts";
import type { Json, JsonObject } from "../../../core/json.ts";

/** The members of Pods and Nodes that are times. */
const times: ReadonlySet<Value> = new Set([
  "creationTimestamp",
  "deletionTimestamp",
  "startTime",
  "lastProbeTime",
  "lastTransitionTime",
  "lastHeartbeatTime",
  "startedAt",
  "finishedAt",
]);

/** Returns the value of an object. Only Pods and Nodes have timestamps, as in kwok. */
export function timedValue(object: Json): Value {
  const { apiVersion, kind } = object as JsonObject; // objects of the API
  return apiVersion === "v1" && (kind === "Pod" || kind === "Node") ? timed(valueOfJson(object)) : valueOfJson(object);
}

function timed(value: Value): Value {
  if (value instanceof JsonMap) return new TimedMap(value);
  return value instanceof ListValue ? new TimedList(value) : value;
}

class TimedMap extends MapValue {
  readonly #map: JsonMap;
  constructor(map: JsonMap) {
    super();
    this.#map = map;
  }
  override get size(): number {
    return this.#map.size;
  }
  override find(key: Value): Value | undefined {
    const value = this.#map.find(key);
    if (value === undefined) return undefined;
    const time = typeof value === "string" && times.has(key) ? timestampOf(value) : undefined;
    return time instanceof Timestamp ? time : timed(value);
  }
  override keys(): readonly string[] {
    return keysOfJson(this.#map.object);
  }
}

class TimedList extends ListValue {
  readonly #list: ListValue;
  constructor(list: ListValue) {
    super();
    this.#list = list;
  }
  override get size(): number {
    return this.#list.size;
  }
  override at(index: number): Value {
    return timed(this.#list.at(index));
  }
}
