/** The forms of a report: text, JSON, and SARIF for tools that show findings beside code. */
import { isAbsolute, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Release } from "../../core/releases.ts";
import { type Advice, type RuleName, ruleTexts } from "../upgrade/advise/advice.ts";
import type { Place, Unread } from "../upgrade/advise/evidence.ts";
import { ownVersion } from "../../server/startup/version.ts";
import { indentedText } from "../../core/value-text.ts";
import { printable, printableJson } from "../../core/printable.ts";

export interface Report {
  readonly target: Release;
  readonly advice: readonly Advice[];
  readonly unread: readonly Unread[];
}

/** The values of `-o`. */
export const forms = Object.freeze({ text: asText, json: asJson, sarif: asSarif });

const placeText = ({ name, line }: Place) => line === undefined ? name : `${name}:${line}`;

function asText({ advice }: Report): string {
  const lines = ({ place, level, subject, text, fix }: Advice) =>
    `${printable(`${placeText(place)}: ${level}: ${subject} ${text}`)}\n    fix: ${printable(fix)}\n`;
  return advice.map(lines).join("");
}

function asJson({ target, advice, unread }: Report): string {
  const errors = unread.map(({ place, reason }) => ({ place, reason }));
  return `${printableJson(indentedText({ targetVersion: target, findings: advice, unread: errors }))}\n`;
}

/** Returns the report in SARIF 2.1.0. Findings that are in no file have a logical location. */
function asSarif({ advice, unread }: Report): string {
  const rules = Object.entries(ruleTexts).map(([id, text]) => ({ id, shortDescription: { text } }));
  const location = ({ name, file, line }: Place) =>
    file === undefined ? { logicalLocations: [{ fullyQualifiedName: name }] } : {
      physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...(line === undefined ? {} : { region: { startLine: line } }) },
    };
  const ids = Object.keys(ruleTexts) as RuleName[]; // Keys of the table.
  const results = advice.map(({ rule, level, place, subject, text, fix }) => ({
    ruleId: rule,
    ruleIndex: ids.indexOf(rule),
    level,
    message: { text: `${subject} ${text}. Fix: ${fix}` },
    locations: [location(place)],
  }));
  const notifications = unread.map(({ place, reason }) => ({ level: "error", message: { text: reason }, locations: [location(place)] }));
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: { driver: { name: "thole advise", version: ownVersion, rules } },
      invocations: [{ executionSuccessful: unread.length === 0, toolExecutionNotifications: notifications }],
      results,
    }],
  };
  return `${printableJson(indentedText(log))}\n`;
}

/** A URI of an absolute path, else a relative reference. */
const uriOf = (file: string) => isAbsolute(file) ? pathToFileURL(file).href : file.split(sep).map(encodeURIComponent).join("/");
