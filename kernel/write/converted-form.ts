/** Makes forms of objects in versions to which calls convert them, such as calls of a webhook. */
import { abortable } from "../../core/async.ts";
import type { AdmissionForm } from "../../core/admission/request.ts";
import type { ConversionContext, StoredConversion } from "../../core/conversion.ts";
import { DecodeError } from "../../core/derive/decode.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { internalError, StatusError } from "../../core/status-error.ts";
import { goJson } from "../../core/tree/json-text.ts";
import { jsonFromTree, readJson, treeFromJson } from "../../core/tree/json.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import type { Endpoint } from "../catalog/catalog.ts";

export interface ConvertedFormNeeds {
  readonly conversion: StoredConversion;
  readonly context: ConversionContext;
  /** The version of the request, and the object's form in it. */
  readonly from: Endpoint;
  readonly requested: AdmissionForm;
  /** The other version, and the object's form in it without a conversion. */
  readonly to: Endpoint;
  readonly plain: AdmissionForm;
  /** Returns the signal that ends the wait for a call. */
  readonly signal: () => AbortSignal;
}

/** Makes the form of one request. Each object is converted once. */
export function convertedForm({ conversion, context, from, requested, to, plain, signal }: ConvertedFormNeeds): AdmissionForm {
  const texts = new WeakMap<ApiObject, string>();

  async function convert(object: JsonObject, apiVersion: string): Promise<JsonObject> {
    try {
      return (await abortable(conversion.convert([object], apiVersion, context), signal()))[0]!; // there are as many objects as were sent
    } catch (error) {
      throw error instanceof StatusError || error instanceof DecodeError ? internalError(error.message, error) : error;
    }
  }
  async function prepareOne(stored: ApiObject): Promise<void> {
    const object = await convert(objectOf(requested.text(stored)), to.apiVersion);
    // Fields that the schema does not have are dropped, as they would be in the store.
    texts.set(stored, orInternal(() => to.encode(to.decode(treeFromJson(object), { reader: "json", findings: [] }))));
  }
  function text(stored: ApiObject): string {
    const known = texts.get(stored);
    if (known === undefined) throw new Error(`an object was not prepared for ${to.apiVersion}`);
    return known;
  }
  return {
    ...plain,
    text,
    json: (stored) => plainJson(text(stored)) as JsonObject, // this is the text of an object
    async prepare(objects) {
      for (const each of objects) if (!texts.has(each)) await prepareOne(each);
    },
    async restored(object) {
      const back = await convert(objectOf(plain.text(object)), from.apiVersion);
      return orInternal(() => requested.parse(goJson(back), object));
    },
  };
}

function orInternal<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof DecodeError ? internalError(error.message, error) : error;
  }
}

function objectOf(text: string): JsonObject {
  const read = readJson(text);
  if (!read.ok) throw new Error(`our own JSON cannot be read: ${read.error}`);
  return jsonFromTree(read.tree) as JsonObject; // the JSON of an object is one
}
