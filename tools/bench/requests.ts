/** The requests of a load, as a template that the generators fill for each request. */
import { objectText, textOf, updatedPath, type Written } from "./objects.ts";
import { podStatusPatch } from "./pods.ts";

export type LoadKind = "get" | "create" | "update" | "patch" | "strategic" | "json patch" | "apply" | "seed" | "pod status";

/**
 * Path and body have places that are filled by the number of a request: `<object>` with the name of an existing object, `<number>` with the
 * number, `<padded>` with five digits of it, `<applier>` with the number of a field manager, which changes after all objects.
 */
export interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

export interface Wanted {
  readonly kind: LoadKind;
  readonly path: string;
  /** Distinguishes the names of new objects and the texts of written ones from those of other runs. */
  readonly run: string;
  /** Default: ConfigMaps. */
  readonly written?: Written;
  /** Bytes of data of each written ConfigMap; default 1 kB. */
  readonly bytes?: number;
}

const patchTypes = Object.freeze({
  patch: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  "json patch": "application/json-patch+json",
  apply: "application/apply-patch+yaml",
});
/** Managers that apply to the same objects, each with two fields of its own. */
const appliers = 3;
/** It is coprime to the usual counts, so that its multiples visit all objects in a pseudo-random order. */
const stride = 7919;

export function templateOf({ kind, path, run, bytes, written = "ConfigMap" }: Wanted): RequestTemplate {
  const type = "application/json", one = `${path}/<object>`, number = `<number>-${run}`;
  switch (kind) {
    case "get":
      return { method: "GET", path, type, body: "" };
    case "seed":
      return { method: "POST", path, type, body: objectText(written, "cm-<padded>", "<number>", bytes) };
    case "create":
      return { method: "POST", path, type, body: objectText(written, `new-${run}-<number>`, "<number>", bytes) };
    case "update":
      // Different from the results of earlier runs: an update without changes is not written.
      return { method: "PUT", path: `${one}${updatedPath(written)}`, type, body: objectText(written, "<object>", number, bytes) };
    case "patch":
    case "strategic":
      // The same text has the same meaning in both.
      return { method: "PATCH", path: one, type: patchTypes[kind], body: `{"data":{"n":"${number}"}}` };
    case "json patch":
      return { method: "PATCH", path: one, type: patchTypes[kind], body: `[{"op":"replace","path":"/data/n","value":"${number}"}]` };
    case "pod status":
      return { method: "PATCH", path: `${one}/status`, type: patchTypes.strategic, body: podStatusPatch(number) };
    case "apply": {
      // A third of the size of other writes, so that three managers add up to the same.
      const applied = textOf(Math.floor((bytes ?? 1000) / appliers));
      const body =
        `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"<object>"},"data":{"m<applier>":"${number}","v<applier>":"${applied}"}}`;
      return { method: "PATCH", path: `${one}?fieldManager=applier-<applier>`, type: patchTypes[kind], body };
    }
  }
}

export interface FilledRequest {
  readonly path: string;
  readonly body: string;
}

/** A function that fills the places of a template for the request with a number, as `expand` in generator/template.go. */
export function filler({ path, body }: RequestTemplate, objects: number): (number: number) => FilledRequest {
  const values: Readonly<Record<string, (number: number) => string>> = {
    object: (number) => `cm-${String(number * stride % objects).padStart(5, "0")}`,
    number: String,
    padded: (number) => String(number).padStart(5, "0"),
    applier: (number) => String(Math.floor(number / objects) % appliers),
  };
  const fill = (text: string) => {
    // Every second piece is a place.
    const pieces = text.split(/<(object|number|padded|applier)>/);
    return (number: number) => pieces.map((piece, index) => index % 2 === 0 ? piece : values[piece]!(number)).join("");
  };
  const fillPath = fill(path), fillBody = fill(body);
  return (number) => ({ path: fillPath(number), body: fillBody(number) });
}
