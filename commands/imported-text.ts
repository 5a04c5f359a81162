/** The result of an import, for people and for programs. */
import type { JsonObject } from "../core/json.ts";
import type { Imported } from "./import/import-objects.ts";
import type { Row } from "./import/survey.ts";
import { printable } from "../core/printable.ts";

/** Returns rows with aligned columns. */
export function surveyTable(rows: readonly Readonly<Row>[]): string {
  const head = ["RESOURCE", "VERSION", "NAMESPACE", "OBJECTS", "BYTES", "IMPORT"];
  const cells = rows.map(({ resource, version, namespace, objects, bytes, left }) => [
    printable(resource),
    version === "" ? "-" : printable(version),
    namespace === "" ? "-" : printable(namespace),
    String(objects),
    String(bytes),
    left === "" ? "yes" : `no: ${printable(left)}`,
  ]);
  const widths = head.map((title, column) => cells.reduce((most, row) => Math.max(most, row[column]!.length), title.length));
  const isNumber = (column: number) => column === 3 || column === 4;
  return [head, ...cells].map((row) =>
    row.map((cell, column) =>
      column === row.length - 1 ? cell : isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
    ).join("  ")
  ).join("\n");
}

const sumOf = (rows: readonly Readonly<Row>[]) => rows.reduce((sum, { objects }) => sum + objects, 0);

/** Returns the summary of a list: nothing was written. */
export function listSummary({ survey, problems }: Imported): string {
  const rows = survey.rows(), isLeft = ({ left }: Row) => left !== "";
  return `${sumOf(rows.filter((row) => !isLeft(row)))} objects can be imported, ${
    sumOf(rows.filter(isLeft))
  } values would be left behind, ` +
    `${problems.count} of them because of problems.`;
}

/** Returns the summary of an import. */
export function importSummary({ survey, outcomes, problems }: Imported): string {
  const left = sumOf(survey.rows().filter((row) => row.left !== ""));
  const { created, equal, overwritten, different, unverified } = outcomes;
  return `${created} objects were created, ${overwritten} replaced, ${equal} were there already, ${different} differ and were kept, ` +
    `${unverified} could not be verified. ${left} values were left behind (--list shows them). ${problems.count} problems.`;
}

/** Returns the advice about imported tokens. */
export function tokenNote(tokens: number): string {
  return `${tokens} ${
    tokens === 1 ? "Secret has a token" : "Secrets have tokens"
  } of service accounts, signed by the other server: they are valid here if its ` +
    "public key is in --service-account-key-file";
}

/** Returns the result of `-o json`. */
export function importedJson({ survey, outcomes, problems, tokens }: Imported, revision: number, isList: boolean): JsonObject {
  return {
    revision,
    ...(isList ? {} : { outcomes }),
    serviceAccountTokens: tokens,
    problems: { count: problems.count, messages: problems.texts },
    resources: survey.rows().map(({ resource, kind, version, namespace, objects, bytes, left }) => ({
      resource,
      kind,
      version,
      namespace,
      objects,
      bytes,
      import: left === "",
      ...(left === "" ? {} : { reason: left }),
    })),
  };
}
