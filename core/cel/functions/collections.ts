/** Lists and maps that functions return. */
import { ListValue, MapValue, type Value } from "../values.ts";

/** A list over an array. */
export class ArrayList extends ListValue {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }
  override get size(): number {
    return this.items.length;
  }
  override at(index: number): Value {
    return this.items[index]!;
  }
}

/** A map with strings as keys. */
export class StringMap extends MapValue {
  readonly entries: ReadonlyMap<string, Value>;
  constructor(entries: ReadonlyMap<string, Value>) {
    super();
    this.entries = entries;
  }
  override get size(): number {
    return this.entries.size;
  }
  override find(key: Value): Value | undefined {
    return typeof key === "string" ? this.entries.get(key) : undefined;
  }
  override keys(): Iterable<Value> {
    return this.entries.keys();
  }
}
