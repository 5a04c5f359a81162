/** What two servers name differently: uids, revisions, generated names and continue tokens of a recording, and those of its replay. */
import { isObject, type Json } from "../../core/json.ts";

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const wholeUid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const certificate = "-----BEGIN CERTIFICATE-----";

/** A value that differs. Absent: the member was not there. */
export interface ValueDifference {
  /** The place in the answer, such as `items[2].spec.replicas`. */
  readonly place: string;
  /** The value in the recording. */
  readonly recorded?: Json;
  /** The value of the server that replays. */
  readonly replayed?: Json;
}

/** Grows with each pair of answers. */
export class Correspondence {
  /** Replayed texts by recorded ones: uids, generated names and continue tokens. */
  readonly #texts = new Map<string, string>();
  /** Replayed revisions by recorded ones. */
  readonly #revisions = new Map<string, string>();
  /** Recorded revisions in order, for those that no answer had. */
  #newest = 0;

  /** Compares two answers, and learns what corresponds in them. Stops at so many differences. */
  compare(recorded: Json | undefined, replayed: Json | undefined, most: number): readonly ValueDifference[] {
    this.#learn(recorded, replayed);
    const found: ValueDifference[] = [];
    this.#compare(recorded, replayed, "", "", (difference) => found.length < most && found.push(difference));
    return found;
  }

  /** The body of a request, with the uids, revisions and names of the replay. */
  translated(value: Json, key = ""): Json {
    if (typeof value === "string") return key === "resourceVersion" ? this.#revision(value) : this.#texts.get(value) ?? value;
    if (Array.isArray(value)) return value.map((each) => this.translated(each));
    if (!isObject(value)) return value;
    // An operation of a JSON patch names the member of its value in its path.
    const member = typeof value.path === "string" && "op" in value ? value.path.slice(value.path.lastIndexOf("/") + 1) : "";
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.translated(each, member !== "" && name === "value" ? member : name)]),
    );
  }

  /** The URL of a request in the same way. */
  translatedUrl(url: string): string {
    const parsed = new URL(url, "https://replay");
    const path = parsed.pathname.split("/").map((part) => this.#texts.get(part) ?? part).join("/");
    for (const [name, value] of [...parsed.searchParams]) {
      if (name === "resourceVersion") parsed.searchParams.set(name, this.#revision(value));
      else parsed.searchParams.set(name, this.#texts.get(value) ?? this.#selector(name, value));
    }
    return path + parsed.search;
  }

  #selector(parameter: string, value: string): string {
    if (parameter !== "fieldSelector") return value;
    return value.split(",").map((each) => {
      const at = each.lastIndexOf("=") + 1, chosen = each.slice(at);
      return each.slice(0, at) + (this.#texts.get(chosen) ?? chosen);
    }).join(",");
  }

  /** The newest known revision for one that no answer has had. */
  #revision(recorded: string): string {
    if (recorded === "" || recorded === "0") return recorded;
    return this.#revisions.get(recorded) ?? (this.#newest === 0 ? recorded : String(this.#newest));
  }

  #learn(recorded: Json | undefined, replayed: Json | undefined, key = ""): void {
    if (typeof recorded === "string" && typeof replayed === "string") return this.#learnText(recorded, replayed, key);
    if (Array.isArray(recorded) && Array.isArray(replayed)) {
      const byName = namedItems(replayed);
      recorded.forEach((each, at) => this.#learn(each, byName?.get(nameOf(each)) ?? replayed[at]));
      return;
    }
    if (!isObject(recorded) || !isObject(replayed)) return;
    for (const [name, each] of Object.entries(recorded)) this.#learn(each, replayed[name], name);
    const { generateName, name } = recorded;
    const isGenerated = typeof generateName === "string" && typeof name === "string" && name.startsWith(generateName);
    if (isGenerated && typeof replayed.name === "string") this.#texts.set(name, replayed.name);
  }

  #learnText(recorded: string, replayed: string, key: string): void {
    if (key === "resourceVersion" && recorded !== "" && replayed !== "") {
      this.#revisions.set(recorded, replayed);
      this.#newest = Math.max(this.#newest, Number(replayed) || 0);
    } else if (key === "continue" || wholeUid.test(recorded) && wholeUid.test(replayed)) {
      if (recorded !== "" && !this.#texts.has(recorded)) this.#texts.set(recorded, replayed);
    }
  }

  #compare(
    recorded: Json | undefined,
    replayed: Json | undefined,
    place: string,
    key: string,
    add: (difference: ValueDifference) => unknown,
  ): void {
    if (Array.isArray(recorded) && Array.isArray(replayed)) return this.#compareLists(recorded, replayed, place, add);
    if (isObject(recorded) && isObject(replayed)) {
      const left = new Set(Object.keys(replayed)), under = (name: string) => place === "" ? name : `${place}.${name}`;
      for (const [name, each] of Object.entries(recorded)) {
        const other = this.#key(name);
        left.delete(other);
        this.#compare(each, replayed[other], under(name), name, add);
      }
      for (const name of left) this.#compare(undefined, replayed[name], under(name), name, add);
      return;
    }
    if (
      typeof recorded === "string" && typeof replayed === "string" ? this.#isSame(recorded, replayed, key, place) : recorded === replayed
    ) {
      return;
    }
    add({ place, ...(recorded === undefined ? {} : { recorded }), ...(replayed === undefined ? {} : { replayed }) });
  }

  /** Objects of lists are compared by their names, so that one that is missing is one difference. */
  #compareLists(recorded: readonly Json[], replayed: readonly Json[], place: string, add: (difference: ValueDifference) => unknown): void {
    const mine = namedItems(recorded), theirs = namedItems(replayed);
    if (mine === undefined || theirs === undefined || mine.size === 0 && theirs.size === 0) {
      for (let at = 0; at < Math.max(recorded.length, replayed.length); at++) {
        this.#compare(recorded[at], replayed[at], `${place}[${at}]`, "", add);
      }
      return;
    }
    const left = new Set(theirs.keys());
    for (const [name, each] of mine) {
      const other = this.#otherName(name);
      left.delete(other);
      this.#compare(each, theirs.get(other), `${place}[${name}]`, "", add);
    }
    for (const name of left) this.#compare(undefined, theirs.get(name), `${place}[${name}]`, "", add);
  }

  /** Keys of managed fields have uids. */
  #key(name: string): string {
    return name.includes("uid") ? name.replaceAll(uid, (each) => this.#texts.get(each) ?? each) : name;
  }

  #otherName(name: string): string {
    const slash = name.lastIndexOf("/") + 1, last = name.slice(slash);
    return name.slice(0, slash) + (this.#texts.get(last) ?? last);
  }

  #isSame(recorded: string, replayed: string, key: string, place: string): boolean {
    if (recorded === replayed || key === "resourceVersion" || key === "continue") return true;
    // Of tables: texts for people, and ages.
    if (place.includes("columnDefinitions[") && key === "description") return true;
    if (place.includes(".cells[") && isAge(recorded) && isAge(replayed)) return true;
    if (time.test(recorded) && time.test(replayed)) return true;
    if (recorded.startsWith(certificate) && replayed.startsWith(certificate)) return true;
    const known = this.#texts.get(recorded);
    if (known !== undefined) return known === replayed;
    const swapped = [...this.#names(recorded)].reduce((text, [from, to]) => text.replaceAll(from, to), recorded);
    return swapped.replaceAll(uid, "<uid>") === replayed.replaceAll(uid, "<uid>");
  }

  /** The generated names that a text has. */
  *#names(text: string): Generator<readonly [string, string]> {
    if (text.length > 1_000) return;
    for (const pair of this.#texts) if (!wholeUid.test(pair[0]) && text.includes(pair[0])) yield pair;
  }
}

/** The items of a list by namespace and name; undefined if one has none. */
function namedItems(list: readonly Json[]): ReadonlyMap<string, Json> | undefined {
  const named = new Map(list.map((each) => [nameOf(each), each]));
  return named.has("") || named.size !== list.length ? undefined : named;
}
function nameOf(value: Json): string {
  if (!isObject(value) || !isObject(value.metadata)) return "";
  const { namespace, name } = value.metadata;
  return typeof name === "string" ? `${typeof namespace === "string" ? `${namespace}/` : ""}${name}` : "";
}

/** `5s`, `3m20s`, `2d`. */
function isAge(text: string): boolean {
  return text.length < 10 && "0123456789".includes(text[0] ?? " ") && "smhdy".includes(text.at(-1) ?? " ") &&
    [...text].every((character) => "0123456789smhdy".includes(character));
}
