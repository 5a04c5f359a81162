/** Checks that no object of some resources loses data between the versions, encodings and requests of their API. */
import { reasonOf } from "../../core/reason-of.ts";
import { goJson } from "../../core/tree/json-text.ts";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { randomOf } from "../../core/random.ts";
import { randomValue } from "../../core/derive/random-value.ts";
import type { Catalog, Endpoint, StoredKind } from "../../kernel/catalog/catalog.ts";
import { type Way, waysOf } from "./conversions.ts";
import { failureRemedy, hookRemedy, ownerRemedy, refusalRemedy } from "./remedies.ts";
import { type Ask, otherOwner, type Outcome, throughRequests } from "./requests.ts";
import { smallest } from "./smallest.ts";

/** Objects that a server must accept for each pair of versions, and those that it is sent at most. */
const acceptedWanted = 5, sentMax = 60;

/** What a generated object is. */
export interface Generated {
  readonly kind: string;
  readonly apiVersion: string;
}

export interface RoundTripNeeds {
  readonly catalog: Catalog;
  readonly kinds: readonly StoredKind[];
  readonly ask: Ask;
  readonly seed: number;
  /** Objects of each version for the checks without requests. */
  readonly objects: number;
  /** Makes a generated object valid; undefined leaves it out. Must accept an object without some of its members. */
  readonly adjust: (object: any, generated: Generated) => object | undefined;
}

/** The number of objects that were checked. */
export interface RoundTrips {
  readonly seed: number;
  /** Without requests. */
  readonly converted: number;
  /** By requests to the server. */
  readonly stored: number;
}

/** @throws Error for the first loss, or if the server accepts no object of a kind */
export async function roundTripsOf(needs: RoundTripNeeds): Promise<RoundTrips> {
  const { catalog, kinds, seed } = needs, random = randomOf(seed);
  const all = kinds.filter(({ under }) => under !== "").map((kind) => catalog.versionsOf(kind)); // without those that are never stored
  let converted = 0, stored = 0;
  for (const versions of all) {
    for (const endpoint of versions) {
      converted += checkConversions(needs, endpoint, versions.filter((each) => each !== endpoint), random);
    }
  }
  for (const versions of all) {
    const served = versions.filter(({ group, version, plural }) => catalog.endpoint(group, version, plural) !== undefined);
    for (const from of served) {
      if (!from.verbs.includes("create") || !from.verbs.includes("get")) continue;
      for (const through of served) {
        if (through !== from || served.length === 1) stored += await checkRequests(needs, from, through, random);
      }
    }
  }
  return { seed, converted, stored };
}

function checkConversions(needs: RoundTripNeeds, endpoint: Endpoint, others: readonly Endpoint[], random: () => number): number {
  const ways = waysOf(endpoint, others), generated = generatorOf(needs, endpoint);
  let checked = 0;
  for (let nth = 0; nth < needs.objects; nth++) {
    const sent = generated(randomValue(endpoint.schema, random));
    if (sent === undefined) continue;
    checked++;
    for (const { name, lost, remedy } of ways) {
      const found = foundIn(lost, sent);
      if (found.length === 0) continue;
      const isFound = (value: Json) => {
        const object = generated(value);
        return object !== undefined && alike(foundIn(lost, object), found);
      };
      const least = generated(smallest(sent, isFound))!; // it has failed
      const losses = foundIn(lost, least);
      throw lossError(needs, endpoint, name, least, losses, losses[0]!.startsWith(failed) ? failureRemedy : remedy);
    }
  }
  return checked;
}

/** What is lost, or the error of a conversion. */
function foundIn(lost: Way["lost"], object: JsonObject): readonly string[] {
  try {
    return lost(object);
  } catch (error) {
    return [`${failed}${reasonOf(error)}`];
  }
}
const failed = "it fails: ";

/** A smaller object shows the same problem: a loss, or a failure. */
function alike(found: readonly string[], first: readonly string[]): boolean {
  return found.length > 0 && found[0]!.startsWith(failed) === first[0]!.startsWith(failed);
}

async function checkRequests(needs: RoundTripNeeds, from: Endpoint, through: Endpoint, random: () => number): Promise<number> {
  const generated = generatorOf(needs, from);
  let accepted = 0, rejection: string | undefined;
  for (let nth = 0; nth < sentMax && accepted < acceptedWanted; nth++) {
    const value = randomValue(from.schema, random) as JsonObject; // of a struct
    const sent = generated({ ...value, metadata: metadataOf(nth, random) });
    if (sent === undefined) continue;
    let outcome: Outcome;
    try {
      outcome = await throughRequests(needs.ask, from, through, sent);
    } catch (error) {
      const text = `seed ${needs.seed}: ${reasonOf(error)}; created as ${goJson(sent)}`;
      throw new Error(`${text}\n  remedy: ${refusalRemedy(through.apiVersion)}`, { cause: error });
    }
    if ("rejected" in outcome) rejection = outcome.rejected;
    else if (outcome.lost.length > 0) {
      const isOwner = outcome.lost.every((each) => each.includes(otherOwner));
      throw lossError(needs, from, `through requests in ${through.apiVersion}`, sent, outcome.lost, isOwner ? ownerRemedy : hookRemedy);
    } else accepted++;
  }
  if (accepted > 0 || rejection === undefined) return accepted;
  throw new Error(
    `seed ${needs.seed}: the server accepted no generated ${from.kind} of ${from.apiVersion}; make them valid with \`adjust\`: ${rejection}`,
  );
}

const metadataOf = (nth: number, random: () => number): JsonObject => ({
  name: `round-trip-${nth}`,
  labels: { "example.com/label": "kept" },
  ...(random() < 0.5 ? {} : { annotations: { "example.com/unknown": '{"kept": ["as it is"]}' } }),
});

/** Makes an object of the version of generated JSON. */
function generatorOf(needs: RoundTripNeeds, endpoint: Endpoint): (value: Json) => JsonObject | undefined {
  const { kind, apiVersion } = endpoint;
  return (value) => {
    const { metadata, ...rest } = value as JsonObject; // of a struct
    const object = { kind, apiVersion, metadata: isObject(metadata) ? metadata : {}, ...rest };
    return needs.adjust({ ...object, kind, apiVersion }, { kind, apiVersion }) as JsonObject | undefined; // an object of JSON
  };
}

function lossError(
  { seed }: RoundTripNeeds,
  { kind, apiVersion }: Endpoint,
  how: string,
  sent: JsonObject,
  lost: readonly string[],
  remedy: string,
): Error {
  const parts = [...lost, `created as ${goJson(sent)}`, `remedy: ${remedy}`];
  return new Error(`seed ${seed}: a ${kind} of ${apiVersion} is not the same ${how}\n  ${parts.join("\n  ")}`);
}
