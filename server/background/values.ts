/** Results of verbs as values for callers in the process, without an encoded reply in between. */
import { encoder } from "../../core/derive/encode.ts";
import { Status as StatusSchema } from "../../core/meta/status.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { Turn } from "../../kernel/objects/chunks.ts";
import type { Item } from "../../kernel/objects/objects.ts";
import type { ListPage } from "../../kernel/reads/reads.ts";
import type { HeavyReply } from "../../kernel/request/hand-over.ts";
import type { RequestContext } from "../../kernel/request-context.ts";
import { servedJson } from "../../kernel/objects/served.ts";
import { textOf } from "../../kernel/respond/document.ts";
import { type Form, formOf } from "../../kernel/respond/form.ts";
import { openList } from "../../kernel/respond/list-body.ts";
import { partialText } from "../../kernel/respond/metadata.ts";
import type { VerbResult } from "../../kernel/respond/result.ts";
import type { SharedValues } from "./shared-values.ts";

/** The value of a result that is no watch. Items of lists are shared between callers, which must not change them. */
export async function valueOf(call: RequestContext, result: Exclude<VerbResult, { tag: "feed" }>, shared: SharedValues): Promise<Json> {
  switch (result.tag) {
    case "status":
      return plainJson(encoder(StatusSchema)(result.body));
    case "object": {
      const { shown = call.endpoint, item } = result;
      return objectValue({ ...call, endpoint: shown }, plainForm(formOf(call, "object")), item);
    }
    case "list":
      return await listValue(call, plainForm(formOf(call, "list")), result.page, shared);
  }
}

type PlainForm = Exclude<Form, { as: "table" }>;
function plainForm(form: Form): PlainForm {
  if (form.as === "table") throw new Error("Callers in the process get no tables");
  return form;
}

async function listValue(call: RequestContext, form: PlainForm, page: ListPage, shared: SharedValues): Promise<JsonObject> {
  const items: Json[] = [], turn = new Turn();
  for (const item of page.items) {
    items.push(shared.of(call.endpoint, form.as, item, () => objectValue(call, form, item)));
    if (turn.isOver) await turn.next();
  }
  return { ...plainJson(`${openList(call, form, page)}}`) as JsonObject, items }; // the head of a list
}

/** The value of an object, or of its metadata. It is made of the JSON in memory: large integers are exact. */
function objectValue(call: RequestContext, form: PlainForm, item: Item): Json {
  return plainJson(form.as === "object" ? textOf(servedJson(call.endpoint, item)) : partialText(call, item, form.version));
}

/** The value of a reply of the heavy thread, which is JSON. */
export function valueOfReply({ chunks }: HeavyReply): Json {
  const decoder = new TextDecoder();
  return plainJson(chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode());
}
