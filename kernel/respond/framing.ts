/** Frames of watches: each event, bookmark or error in the negotiated encoding and transformation. */
import { encoder } from "../../core/derive/encode.ts";
import { zeroOf } from "../../core/derive/zero.ts";
import { PartialObjectMetadata } from "../../core/meta/partial-object-metadata.ts";
import { Status as StatusSchema } from "../../core/meta/status.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { binaryDocument, binaryEvent, isBinary } from "../objects/binary.ts";
import { isStoredForm, partial, partialText, servedJson, servedObject, unconverted } from "./served.ts";
import type { RequestContext } from "../request-context.ts";
import { Item } from "../objects/objects.ts";
import type { Framing, WatchType } from "../reads/reads.ts";
import { metricScope } from "../observe/request-metrics.ts";
import type { Revision } from "../store/store.ts";
import { includeObject, tableText } from "./table.ts";

const toBytes = new TextEncoder();
const nothing = new Uint8Array();
/** Marks a frame that cannot be written. No frame of any encoding begins with this byte. */
const notAList = toBytes.encode("\n");

/** The framing of a call's watch. Throws 400 for an invalid `includeObject`. */
export function framingOf(call: RequestContext): Framing {
  const { endpoint, backend: { meter, clock }, output: { encoding, transform } } = call;
  const begun = meter.now();
  const isTable = transform.as === "Table";
  const form = transform.as === "object" ? "" : `${transform.as} ${transform.version} ${isTable ? includeObject(call) : ""}`;
  const id = `${endpoint.apiVersion} ${encoding} ${form}`;
  return {
    get id() {
      // Rows have ages in seconds.
      return isTable ? `${id} ${Math.floor(clock.now() / 1000)}` : id;
    },
    plain: transform.as === "object" && !isBinary(encoding) && isStoredForm(endpoint),
    opens: isTable,
    frame: (type, item, first) => frameOf(call, type, item, first),
    bookmark(revision, endsInitial, first) {
      if (endsInitial) meter.watchListed(endpoint, metricScope(call.info), begun);
      return bookmarkOf(call, revision, endsInitial, first);
    },
    error: (status) =>
      isBinary(encoding)
        ? binaryEvent(encoding, "ERROR", binaryDocument(encoding, StatusSchema, status))
        : textFrame("ERROR", encoder(StatusSchema)(status)),
    sent: meter.watched(endpoint),
  };
}

/** `carriesMetadata`: the event exists for the item's metadata, so a table includes it even with includeObject=None. */
function frameOf(call: RequestContext, type: WatchType, item: Item, first: boolean, carriesMetadata = false): Uint8Array {
  const { endpoint, output: { encoding, transform } } = call;
  if (transform.as === "Table") {
    const { resourceVersion } = item.object.metadata;
    const metadata = resourceVersion === undefined ? {} : { resourceVersion };
    const asked = includeObject(call);
    const include = carriesMetadata && asked === "None" ? "Metadata" : asked;
    return textFrame(type, tableText(call, item, metadata, include, transform.version, first));
  }
  if (transform.as === "PartialObjectMetadataList") return notAList;
  if (transform.as !== "object") {
    return isBinary(encoding)
      ? binaryEvent(encoding, type, binaryDocument(encoding, PartialObjectMetadata, partial(call, item, transform.version)))
      : textFrame(type, partialText(call, item, transform.version));
  }
  if (isBinary(encoding)) return binaryEvent(encoding, type, binaryDocument(encoding, endpoint.schema, servedObject(endpoint, item)));
  const json = servedJson(endpoint, item);
  return typeof json === "string" ? textFrame(type, json) : bytesFrame(type, json);
}

/** A bookmark: an object of the kind with only its resourceVersion. */
function bookmarkOf(call: RequestContext, revision: Revision, endsInitial: boolean, first: boolean): Uint8Array {
  const { endpoint, catalog, output: { encoding, transform } } = call;
  const metadata = {
    resourceVersion: String(revision),
    ...(endsInitial ? { annotations: { [`${catalog.names.domain}/initial-events-end`]: "true" } } : {}),
  };
  // Without defaults: a bookmark is the empty object.
  const empty = zeroOf(endpoint.schema) as object; // of the endpoint's kind
  const object: ApiObject = { ...empty, kind: endpoint.kind, apiVersion: endpoint.apiVersion, metadata };
  if (transform.as !== "object") {
    const as = { ...call, endpoint: unconverted(endpoint) };
    return frameOf(as, "BOOKMARK", new Item(endpoint.stored, { key: "", revision, value: nothing }, object), first, endsInitial);
  }
  return isBinary(encoding)
    ? binaryEvent(encoding, "BOOKMARK", binaryDocument(encoding, endpoint.schema, object))
    : textFrame("BOOKMARK", endpoint.encode(object));
}

/** The frames before the first that cannot be written: like upstream's, a watch with a list transformation ends there without an error. */
export async function* writable(frames: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of frames) {
    if (piece[0] === notAList[0]) return;
    yield piece;
  }
}

function textFrame(type: WatchType, json: string): Uint8Array {
  return toBytes.encode(`{"type":"${type}","object":${json}}\n`);
}
function bytesFrame(type: WatchType, json: Uint8Array): Uint8Array {
  const head = toBytes.encode(`{"type":"${type}","object":`);
  const frame = new Uint8Array(head.length + json.length + 2);
  frame.set(head);
  frame.set(json, head.length);
  frame.set([0x7d, 0x0a], head.length + json.length);
  return frame;
}
