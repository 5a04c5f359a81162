/** The Accept header (RFC 9110 section 12.5.1) as kube-apiserver reads it. */

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  /** Parameters other than q, in order. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** Clauses by falling quality; equals keep their order, `*` types and subtypes come behind named ones. q=0 does not exclude. */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(",")) {
    const [range = "", ...rest] = part.split(";");
    const [type = "", subtype, extra] = range.trim().split("/");
    if (extra !== undefined) continue;
    // A lone `*` is `*/*`; another word without a subtype means nothing.
    if (subtype === undefined && type !== "*") continue;
    let quality = 1;
    const parameters: [string, string][] = [];
    for (const text of rest) {
      const [name = "", value = "", more = ""] = text.split("=");
      // What has no value, or more than one, is not there.
      if (value === "" || more !== "") continue;
      if (name.trim() === "q") {
        const q = Number(value);
        quality = Number.isFinite(q) ? q : 0;
      } else parameters.push([name.trim(), value.trim()]);
    }
    clauses.push({ type: type.trim(), subtype: (subtype ?? "*").trim(), quality, parameters });
  }
  const vague = (clause: AcceptClause) => (clause.type === "*" ? 2 : 0) + (clause.subtype === "*" ? 1 : 0);
  return clauses.toSorted((a, b) => b.quality - a.quality || vague(a) - vague(b));
}
