/** A schema with every kind of node, for the decoders of schemas. */
export async function thingOf(load: (path: string) => Promise<any>): Promise<any> {
  const s = await load("core/schema.ts");
  const Inner = s.struct("Inner", { text: s.field(1, s.string, "Text."), number: s.field(2, s.int32, "Number.", { pointer: true }) });
  return s.struct("Thing", {
    flag: s.field(1, s.boolean, "Flag."),
    text: s.field(2, s.string, "Text."),
    small: s.field(3, s.int32, "Small.", { pointer: true }),
    large: s.field(4, s.int64, "Large."),
    double: s.field(5, s.double, "Double."),
    bytes: s.field(6, s.bytes, "Bytes."),
    quantity: s.field(7, s.quantity, "Quantity."),
    port: s.field(8, s.intOrString, "Port."),
    time: s.field(9, s.time, "Time."),
    micro: s.field(10, s.microTime, "Micro."),
    lasts: s.field(11, s.duration, "Lasts."),
    raw: s.field(12, s.raw, "Raw."),
    owned: s.field(13, s.fieldsV1, "Owned."),
    inners: s.field(14, s.list(Inner), "Inners."),
    texts: s.field(15, s.record(s.string), "Texts."),
    blobs: s.field(16, s.record(s.bytes), "Blobs."),
    inner: s.field(17, Inner, "Inner."),
  });
}

/** Names of the fields, for keys of documents. */
export const thingKeys = [
  "flag",
  "text",
  "small",
  "large",
  "double",
  "bytes",
  "quantity",
  "port",
  "time",
  "micro",
  "lasts",
  "raw",
  "owned",
  "inners",
  "texts",
  "blobs",
  "inner",
  "unknown",
] as const;

/** A text that is equal for equal values in any order of members. Deep values do not overflow the stack. */
export async function canonicalText(load: (path: string) => Promise<any>): Promise<(json: unknown) => string> {
  const { CborWriter, writeJson } = await load("core/codec/cbor/write.ts");
  return (json) => {
    const writer = new CborWriter();
    writeJson(json, writer);
    return Array.from(writer.finish(), (byte: number) => String.fromCharCode(byte)).join("");
  };
}
