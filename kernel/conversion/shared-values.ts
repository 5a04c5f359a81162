/** Converted values of events, which the watches of one kind share: each event is converted once for all of them. */

interface Value {
  readonly key: string;
  readonly revision: number;
  readonly value: Uint8Array;
}

export interface SharedValues {
  /** Returns the converted values in their order. `convert` is called with those values that are not known yet. */
  served(
    apiVersion: string,
    values: readonly Value[],
    convert: (values: readonly Uint8Array[]) => Promise<readonly Uint8Array[]>,
  ): Promise<readonly Uint8Array[]>;
}

/** Makes a table that keeps the newest values, up to this number of bytes. Errors are not kept. */
export function sharedValues(bytesMax: number): SharedValues {
  const known = new Map<string, { readonly value: Promise<Uint8Array>; readonly bytes: number }>();
  let total = 0;
  function forget(id: string): void {
    total -= known.get(id)?.bytes ?? 0;
    known.delete(id);
  }
  function keep(id: string, value: Promise<Uint8Array>, bytes: number): void {
    forget(id);
    known.set(id, { value, bytes });
    total += bytes;
    for (const oldest of known.keys()) {
      if (total <= bytesMax) break;
      forget(oldest);
    }
  }
  return {
    served(apiVersion, values, convert) {
      const ids = values.map(({ key, revision }) => `${apiVersion} ${revision} ${key}`);
      const missing = new Map(values.map((value, index) => [ids[index]!, value]));
      const found = new Map<string, Promise<Uint8Array>>();
      for (const id of ids) {
        const before = known.get(id);
        if (before !== undefined && missing.delete(id)) found.set(id, before.value);
      }
      const converted = missing.size === 0 ? undefined : convert([...missing.values()].map(({ value }) => value));
      for (const [index, [id, { value }]] of [...missing].entries()) {
        const own = converted!.then((all) => all[index]!);
        found.set(id, own);
        keep(id, own, value.length);
        own.catch(() => known.get(id)?.value === own && forget(id));
      }
      return Promise.all(ids.map((id) => found.get(id)!));
    },
  };
}
