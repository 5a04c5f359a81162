/** Conversion by the webhook of a definition (upstream: apiextensions-apiserver `pkg/apiserver/conversion`). */
import type { Json, JsonObject } from "../../../core/json.ts";
import { countValues } from "../../../core/tree/count-values.ts";
import { type GroupVersion, StatusError } from "../../../plugin.ts";
import type { ConversionContext, StoredConversion, WebhookAddress } from "../../../toolbox.ts";
import { addressOf } from "../../shared/webhook-address.ts";
import type { Spec } from "../schema.ts";
import { checkedConversion, ConvertedError, typeText } from "./converted.ts";
import { type FailureType, recordConversion, recordRequest } from "./metrics.ts";
import { readReview, ReviewError, reviewVersions, writeReview } from "./review.ts";
import { bound } from "../../../core/bound.ts";

/** Number of JSON values that each answer of a conversion webhook may have. Answers are read in the serving thread. */
export const conversionAnswerValuesMin = bound(12_000);
/** Number of further JSON values that an answer of a conversion webhook may have for each value of its request. */
const conversionAnswerValuesPerValueMax = bound(4);
/** Maximum length, in UTF-16 units, of an error that quotes what a conversion webhook has sent. */
export const conversionErrorLengthMax = bound(4_096);

/** The parts of a definition's description that its conversion needs. */
interface Converted {
  readonly name: string;
  readonly names: { readonly plural: string };
  readonly spec: Spec;
  readonly state: { readonly terminating: boolean };
}

/**
 * Makes the conversion of a definition's objects, with their accepted plural. Returns undefined if no webhook converts them, or if there is
 * only one version.
 */
export function webhookConversion(definition: Converted): StoredConversion | undefined {
  const { versions, conversion } = definition.spec;
  const config = conversion?.strategy === "Webhook" ? conversion.webhook : undefined;
  if (config?.clientConfig === undefined || versions.length < 2) return undefined;
  return new WebhookConversion(definition, config.conversionReviewVersions, addressOf(config.clientConfig));
}

class WebhookConversion implements StoredConversion {
  readonly under: string;
  readonly storedAs: GroupVersion;
  readonly webhook: WebhookAddress;
  readonly #definition: Converted;
  /** The first version of ConversionReview in the definition that is known here. */
  readonly #reviewVersion: string | undefined;
  readonly #apiVersions: ReadonlySet<string>;

  constructor(definition: Converted, accepted: readonly string[], webhook: WebhookAddress) {
    const { names: { plural }, spec: { group, versions } } = definition;
    const stored = versions.find(({ storage }) => storage) ?? versions[0]!; // exactly one version is stored, which has been checked
    this.under = `${group}/${plural}`;
    this.storedAs = `${group}/${stored.name}`;
    this.webhook = webhook;
    this.#definition = definition;
    this.#reviewVersion = accepted.find((each) => reviewVersions.includes(each));
    this.#apiVersions = new Set(versions.map(({ name }) => `${group}/${name}`));
  }

  async convert(objects: readonly JsonObject[], apiVersion: string, context: ConversionContext): Promise<readonly JsonObject[]> {
    for (const { apiVersion: from } of objects) {
      if (!this.#apiVersions.has(String(from))) throw failure(`request to convert CR from an invalid group/version: ${String(from)}`);
    }
    const sent = objects.filter((object) => object["apiVersion"] !== apiVersion);
    if (sent.length === 0) return objects;
    const converted = await this.#convertSent(sent, apiVersion, context);
    let next = 0;
    return objects.map((object) => object["apiVersion"] === apiVersion ? object : converted[next++]!);
  }

  /**
   * Converts objects of other versions. While the definition is being deleted, a failing webhook does not prevent the deletion of its
   * objects: they get the wanted version, and are otherwise unchanged.
   */
  async #convertSent(sent: readonly JsonObject[], apiVersion: string, context: ConversionContext): Promise<readonly JsonObject[]> {
    const { name, state } = this.#definition, version = this.#reviewVersion;
    if (version === undefined) throw failure("no supported conversion review versions");
    try {
      return await measure(name, sent, apiVersion, context, () => this.#review(version, sent, apiVersion, context));
    } catch (error) {
      if (!state.terminating) throw error;
      return sent.map((object) => ({ ...object, apiVersion }));
    }
  }

  /** Sends a review, checks its answer, and records how the request ended. */
  async #review(
    version: string,
    sent: readonly JsonObject[],
    apiVersion: string,
    context: ConversionContext,
  ): Promise<readonly JsonObject[]> {
    const started = context.now();
    const end = (type: FailureType) => recordRequest(context, (context.now() - started) / 1000, type);
    const about = `conversion webhook for ${typeText(sent[0]!)}`;
    let answered: readonly Json[];
    try {
      answered = await this.#answered(version, sent, apiVersion, context);
    } catch (error) {
      const isMalformed = error instanceof ReviewError && error.cause === "malformed";
      end(isMalformed ? "conversion_webhook_malformed_response_failure" : "conversion_webhook_call_failure");
      throw failure(`${about} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (answered.length !== sent.length) {
      end("conversion_webhook_partial_response_failure");
      throw failure(`${about} returned ${answered.length} objects, expected ${sent.length}`);
    }
    try {
      const objects = sent.map((object, index) => {
        return checkedConversion(object, answered[index]!, apiVersion, sent.length === 1 ? undefined : index);
      });
      end("");
      return objects;
    } catch (error) {
      if (!(error instanceof ConvertedError)) throw error;
      end("conversion_webhook_invalid_converted_object_failure");
      throw failure(error.isWhole ? error.message : `${about} ${error.message}`);
    }
  }

  /** The objects in the webhook's answer. */
  async #answered(
    version: string,
    sent: readonly JsonObject[],
    apiVersion: string,
    context: ConversionContext,
  ): Promise<readonly Json[]> {
    const uid = crypto.randomUUID(), json = writeReview(context.names, version, uid, sent, apiVersion);
    // The attributes of the span are upstream's.
    const body = await context.post(this.webhook, json, {
      "custom-resource-definition": this.#definition.name,
      "desired-api-version": apiVersion,
      "object-count": sent.length,
      "UID": uid,
    });
    checkValues(json, body);
    return readReview(context.names, version, uid, body);
  }
}

/** Throws for an answer that has many more values than the request, because it is read in one turn of this thread. */
function checkValues(json: string, body: string): void {
  const least = conversionAnswerValuesMin;
  const factor = conversionAnswerValuesPerValueMax;
  if (body.length <= least) return; // a text has no more values than characters
  const most = least + factor * countValues(json);
  if (countValues(body, most) > most) throw new ReviewError("call", `the answer has more than ${most} values`);
}

/** Returns a 500 without a reason, as upstream. The message may quote what the webhook has sent. */
function failure(message: string): StatusError {
  const most = conversionErrorLengthMax;
  return new StatusError("Unknown", message.length <= most ? message : `${message.slice(0, most)}...`);
}

async function measure<T>(
  definition: string,
  sent: readonly JsonObject[],
  apiVersion: string,
  context: ConversionContext,
  run: () => Promise<T>,
): Promise<T> {
  const started = context.now();
  const end = (done: boolean) => {
    const to = versionOf(apiVersion), froms = new Set(sent.map((object) => versionOf(String(object["apiVersion"]))));
    for (const from of froms) recordConversion(context, (context.now() - started) / 1000, { definition, from, to }, done);
  };
  try {
    const result = await run();
    end(true);
    return result;
  } catch (error) {
    end(false);
    throw error;
  }
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}
