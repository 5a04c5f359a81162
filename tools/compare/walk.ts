import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { comparable } from "./answers.ts";
import type { Path } from "./changes.ts";
import { type Ask, type Difference, differenceOf, renamed } from "./compare-kind.ts";
import { type Mutation, Mutations } from "./mutations.ts";
import { minimal } from "./minimal.ts";

/** A kind, and where its objects are. */
export interface WalkedKind {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Subresources that take the whole object, such as `status`. */
  readonly doors: readonly string[];
  /** Whether nothing but the first object is stored, because objects of this kind act on other requests. */
  readonly isDry?: boolean;
  /** If other members have a part of the name: that part, and what is in its place in a further object. */
  readonly otherName?: { readonly from: string; readonly to: string };
}

interface Servers {
  readonly ours: Ask;
  readonly theirs: Ask;
}

/** Of a walk's steps: how often an accepted change stays, and an object that cannot become another one is made anew. */
const staysShare = 0.6, anewShare = 0.4, createsShare = 0.1;
/** Of changes: those that go to a subresource, and of the others those that are patches. */
const doorShare = 0.35, patchShare = 0.4;
const fieldManager = "compare";

/**
 * Changes one object step by step: each step sends the changed object to both servers as a create, an update, a patch and to a subresource. What both
 * accept may stay, so that objects become unlike the recorded ones, and the next steps begin there.
 */
export class Walk {
  readonly #kind: WalkedKind;
  readonly #servers: Servers;
  readonly #mutations: Mutations;
  readonly #known: Set<string>;
  readonly differences: Difference[] = [];
  requests = 0;
  objects = 0;
  #base: JsonObject;
  #name: string;
  #renewed = 0;

  /** @param known kinds of differences that were found before: their requests are not made small again */
  constructor(kind: WalkedKind, base: JsonObject, servers: Servers, mutations: Mutations, known: Set<string>) {
    this.#kind = kind;
    this.#servers = servers;
    this.#mutations = mutations;
    this.#known = known;
    this.#base = { ...base, apiVersion: kind.apiVersion, kind: kind.kind };
    this.#name = (base["metadata"] as { readonly name: string }).name; // bases have names
  }

  /** Undefined if the base is on both servers, else why it is not. */
  async begin(): Promise<string | undefined> {
    const { ours, theirs } = this.#servers, { path } = this.#kind;
    const [mine, peers] = await Promise.all([ours("POST", path, this.#base), theirs("POST", path, this.#base)]);
    return mine.status === 201 && peers.status === 201 ? undefined : `${mine.status} and ${peers.status}`;
  }

  async step(): Promise<void> {
    const mutation = this.#mutations.next(this.#base), { what, object } = mutation, { path, doors } = this.#kind;
    this.objects++;
    const one = `${path}/${this.#name}`, other = this.#another(object);
    const created = await this.#compare("POST", `${path}?dryRun=All`, what, other);
    if (this.#mutations.chance(createsShare)) {
      await this.#compare("PUT", `${path}/${nameOf(other, this.#name)}?dryRun=All`, `creates: ${what}`, other);
    }
    const door = doors.length > 0 && this.#mutations.chance(doorShare) ? this.#mutations.among(doors) : undefined;
    const through = door !== undefined && await this.#compare("PUT", `${one}/${door}?dryRun=All`, what, object);
    const isPatch = door === undefined && this.#mutations.chance(patchShare);
    if (isPatch) await this.#patch(one, mutation);
    const updated = door === undefined && !isPatch && await this.#compare("PUT", `${one}?dryRun=All`, what, object);
    if (door === undefined && isPatch) return;
    await this.#stay(object, created, updated, through ? door : undefined);
  }

  /** Reads the object as a table and deletes it. */
  async end(): Promise<void> {
    const { path } = this.#kind, one = `${path}/${this.#name}`;
    await this.#compare("GET", `${one}?includeObject=None`, "as a table", undefined, {
      accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
    });
    await this.#compare("DELETE", `${one}?dryRun=All`, "deleted", undefined);
    const { ours, theirs } = this.#servers, now = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 };
    await Promise.all([ours("DELETE", one, now), theirs("DELETE", one, now)]);
  }

  /** The object under another name. */
  #another(object: JsonObject): JsonObject {
    const { otherName } = this.#kind;
    return otherName === undefined
      ? renamed(object, this.#name)
      : JSON.parse(JSON.stringify(object).replaceAll(otherName.from, otherName.to)) as JsonObject;
  }

  async #stay(object: JsonObject, created: boolean, updated: boolean, door: string | undefined): Promise<void> {
    const { path, isDry = false } = this.#kind, one = `${path}/${this.#name}`;
    if (isDry) {
      if ((created || updated) && this.#mutations.chance(staysShare)) this.#base = object;
    } else if (updated && this.#mutations.chance(staysShare)) {
      if (await this.#compare("PUT", one, "stays", object)) this.#base = object;
    } else if (door !== undefined && this.#mutations.chance(staysShare)) {
      if (await this.#compare("PUT", `${one}/${door}`, "stays", object)) this.#base = object;
    } else if (created && !updated && door === undefined && this.#mutations.chance(anewShare)) {
      await this.end();
      const { name: _, ...metadata } = isObject(object["metadata"]) ? object["metadata"] : {};
      this.#name = `${this.#name.replace(/-n[0-9]+$/, "")}-n${++this.#renewed}`;
      this.#base = { ...object, metadata: { ...metadata, name: this.#name } };
      await this.#compare("POST", path, "made anew", this.#base);
    }
  }

  /** The same change as a patch of one of the kinds. */
  async #patch(one: string, { what, path, value, object }: Mutation): Promise<void> {
    const kind = this.#mutations.among(["merge", "strategic", "json", "apply"]);
    const indexed = path.some((part) => typeof part === "number");
    if (kind === "apply") {
      await this.#compare(
        "PATCH",
        `${one}?dryRun=All&fieldManager=${fieldManager}&force=true`,
        `apply: ${what}`,
        object,
        contentOf("apply-patch+yaml"),
      );
    } else if (kind === "json" || indexed) {
      const pointer = `/${path.map((part) => String(part).replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
      const operation: JsonObject = value === undefined ? { op: "remove", path: pointer } : { op: "add", path: pointer, value };
      await this.#compare("PATCH", `${one}?dryRun=All`, `JSON patch: ${what}`, [operation], contentOf("json-patch+json"));
    } else {
      const body = nested(path, value ?? null);
      await this.#compare(
        "PATCH",
        `${one}?dryRun=All`,
        `${kind} patch: ${what}`,
        body,
        contentOf(kind === "merge" ? "merge-patch+json" : "strategic-merge-patch+json"),
      );
    }
  }

  /** Sends a request to both servers. Returns whether both accept it. */
  async #compare(
    method: string,
    path: string,
    what: string,
    body: Json | undefined,
    headers?: Readonly<Record<string, string>>,
  ): Promise<boolean> {
    this.requests++;
    const ask = async (sent: Json | undefined) => {
      const { ours, theirs } = this.#servers;
      const [mine, peers] = await Promise.all([ours(method, path, sent, headers), theirs(method, path, sent, headers)]);
      return {
        difference: differenceOf(method, what, comparable(mine), comparable(peers)),
        accepted: mine.status < 300 && peers.status < 300,
      };
    };
    const { difference, accepted } = await ask(body);
    if (difference !== undefined) {
      const named = { ...difference, path };
      const isKnown = this.#known.has(kindOf(named));
      this.#known.add(kindOf(named));
      const isDry = path.includes("dryRun") && isObject(body) && !difference.isText;
      const small = isDry && !isKnown
        ? await minimal(body, async (smaller) => kindOf({ ...(await ask(smaller)).difference ?? noDifference, path }) === kindOf(named))
        : undefined;
      this.differences.push(small === undefined ? named : { ...named, body: small });
    }
    return accepted;
  }
}

const noDifference: Difference = { method: "", what: "", isText: false, ours: "", theirs: "" };
const contentOf = (type: string) => ({ "content-type": `application/${type}` });

/** Differences are of one kind if they are at the same place and concern the same fields in the same way. */
export function kindOf({ method, path = "", isText, ours, theirs }: Difference): string {
  const door = /\/[^/]+\/[^/]+\/(status|approval|resize|ephemeralcontainers|binding|eviction|scale|finalize)\?/.exec(path)?.[1] ?? "";
  const meanings = [ours, theirs].map((text) => (isText ? text : text.split(" | ").slice(0, -1).join()).replace(/[0-9]+/g, "N"));
  return [method, door, ...meanings].join("\n");
}

/** The name of an object to create, that of another one if a change has removed or replaced it. */
function nameOf({ metadata }: JsonObject, other: string): string {
  const name = isObject(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" && name !== "" ? encodeURIComponent(name) : `${other}-2`;
}

/** A merge patch of one member. */
function nested(path: Path, value: Json): Json {
  const [key, ...rest] = path;
  return key === undefined ? value : { [key]: nested(rest, value) };
}
