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
      const equals = text.indexOf("=");
      const name = (equals < 0 ? text : text.slice(0, equals)).trim();
      const value = equals < 0 ? "" : text.slice(equals + 1).trim();
      if (name === "q") {
        const q = Number(value);
        quality = value !== "" && Number.isFinite(q) ? q : 1;
      } else if (name !== "") parameters.push([name, value.replace(/^"(.*)"$/, "$1")]);
    }
    clauses.push({ type: type.trim(), subtype: (subtype ?? "*").trim(), quality, parameters });
  }
  const vague = (clause: AcceptClause) => (clause.type === "*" ? 2 : 0) + (clause.subtype === "*" ? 1 : 0);
  return clauses.toSorted((a, b) => b.quality - a.quality || vague(a) - vague(b));
}
