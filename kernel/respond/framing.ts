/** Frames of watches: each event, bookmark or error in the negotiated encoding and transformation. */
import { encoder } from "../../core/derive/encode.ts";
import { zeroOf } from "../../core/derive/zero.ts";
import { Status as StatusSchema } from "../../core/meta/status.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { binaryDocument, binaryEvent, isBinary } from "../objects/binary.ts";
import { isStoredForm, unconverted } from "../objects/served.ts";
import type { RequestContext } from "../request-context.ts";
import type { BodyPart } from "../objects/chunks.ts";
import { Item } from "../objects/objects.ts";
import type { Framing, WatchType } from "../reads/reads.ts";
import { metricScope } from "../observe/request-metrics.ts";
import type { Revision } from "../store/store.ts";
import { documentOf } from "./document.ts";
import { type Form, formOf } from "./form.ts";

const toBytes = new TextEncoder();
const nothing = new Uint8Array();
/** Marks a frame that cannot be written. No frame of any encoding begins with this byte. */
const notAList = toBytes.encode("\n");

/** The framing of a call's watch. Throws 400 for an invalid `includeObject`. */
export function framingOf(call: RequestContext): Framing {
  const { endpoint, backend: { meter, clock }, output: { encoding, transform } } = call;
  const begun = meter.now(), form = formOf(call, "watch");
  const isTable = form?.as === "table";
  const name = transform.as === "object" ? "" : `${transform.as} ${transform.version} ${isTable ? form.include : ""}`;
  const id = `${endpoint.apiVersion} ${encoding} ${name}`;
  return {
    get id() {
      // Rows have ages in seconds.
      return isTable ? `${id} ${Math.floor(clock.now() / 1000)}` : id;
    },
    plain: form?.as === "object" && !isBinary(encoding) && isStoredForm(endpoint),
    opens: isTable,
    frame: (type, item, first) => frameOf(call, form, type, item, first),
    bookmark(revision, endsInitial, first) {
      if (endsInitial) meter.watchListed(endpoint, metricScope(call.info), begun);
      return bookmarkOf(call, form, revision, endsInitial, first);
    },
    error: (status) =>
      isBinary(encoding)
        ? binaryEvent(encoding, "ERROR", binaryDocument(encoding, StatusSchema, status))
        : textFrame("ERROR", encoder(StatusSchema)(status)),
    sent: meter.watched(endpoint),
  };
}

function frameOf(call: RequestContext, form: Form | undefined, type: WatchType, item: Item, first: boolean): Uint8Array {
  return form === undefined ? notAList : framed(call, type, documentOf(call, form, item, first));
}
function framed({ output: { encoding } }: RequestContext, type: WatchType, document: BodyPart): Uint8Array {
  if (typeof document === "string") return textFrame(type, document);
  return isBinary(encoding) ? binaryEvent(encoding, type, document) : bytesFrame(type, document);
}

/** A bookmark: an object of the kind with only its resourceVersion. */
function bookmarkOf(call: RequestContext, form: Form | undefined, revision: Revision, endsInitial: boolean, first: boolean): Uint8Array {
  const { endpoint, catalog, output: { encoding } } = call;
  const metadata = {
    resourceVersion: String(revision),
    ...(endsInitial ? { annotations: { [`${catalog.names.domain}/initial-events-end`]: "true" } } : {}),
  };
  // Without defaults: a bookmark is the empty object.
  const empty = zeroOf(endpoint.schema) as object; // of the endpoint's kind
  const object: ApiObject = { ...empty, kind: endpoint.kind, apiVersion: endpoint.apiVersion, metadata };
  if (form?.as === "object") {
    const document = isBinary(encoding) ? binaryDocument(encoding, endpoint.schema, object) : endpoint.encode(object);
    return framed(call, "BOOKMARK", document);
  }
  const as = { ...call, endpoint: unconverted(endpoint) };
  // The end of the initial events is in the metadata, so a table includes it also with includeObject=None.
  const shown: Form | undefined = endsInitial && form?.as === "table" && form.include === "None" ? { ...form, include: "Metadata" } : form;
  return frameOf(as, shown, "BOOKMARK", new Item(endpoint.stored, { key: "", revision, value: nothing }, object), first);
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
