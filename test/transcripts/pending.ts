/** The list of scenarios that still differ from their recording, and the table of those that differ on purpose. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Case } from "./recording.ts";
import type { Outcome } from "./replay.ts";

/**
 * By area: the missing feature of each scenario, or the resource (`v1/pods`, `apps/v1/deployments`) without which no scenario of the area can
 * work. Such an area is not replayed, as long as nobody can create that resource.
 */
export type Pending = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

const pendingPath = fileURLToPath(new URL("pending.json", import.meta.url));
const differencesPath = fileURLToPath(new URL("../../docs/differences.md", import.meta.url));

export function readPending(): Pending {
  // `as`: the file is part of the repository; names without a scenario fail the suite.
  return JSON.parse(readFileSync(pendingPath, "utf8")) as Pending;
}

/** The missing resource of an area that is not replayed; undefined for one that is. */
export function missingResource(list: Pending, area: string): string | undefined {
  const inArea = Object.hasOwn(list, area) ? list[area] : undefined;
  return typeof inArea === "string" ? inArea : undefined;
}

/** The reason why a scenario is pending; undefined for one that must pass. */
export function pendingReason(list: Pending, area: string, name: string): string | undefined {
  const inArea = Object.hasOwn(list, area) ? list[area] : undefined;
  if (typeof inArea === "string") return inArea;
  return inArea !== undefined && Object.hasOwn(inArea, name) ? inArea[name] : undefined;
}

/** A row of docs/differences.md: this scenario differs on purpose. */
export interface Claim {
  readonly area: string;
  readonly scenario: string;
}

/** The rows of the table in a Markdown text whose head begins with `area` and `scenario`; a bar within a cell is written `\|`. */
export function readClaims(markdown: string = readFileSync(differencesPath, "utf8")): Claim[] {
  return markdown.split("\n").filter((line) => line.startsWith("|")).map((line) =>
    line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim().replaceAll("\\|", "|"))
  ).flatMap(([area, scenario]) =>
    area === undefined || scenario === undefined || area === "area" || /^-+$/.test(area) ? [] : [{ area, scenario }]
  );
}

export function isClaimed(claims: readonly Claim[], { area, scenario }: Case): boolean {
  return claims.some((claim) => claim.area === area && claim.scenario === scenario.name);
}

/** The feature of each need, for scenarios that fail. */
const featureOfNeed: Readonly<Record<string, string>> = {
  crd: "custom resources",
  rbac: "roles",
  "admission-policy": "policies",
  "gate:MutatingAdmissionPolicy": "policies",
  "admission-webhook": "webhooks",
  "limit-range": "quotas",
  "resource-quota": "quotas",
  "flow-control": "flow control",
  aggregation: "aggregation",
  authn: "authentication",
  "gate:CBORServingAndStorage": "cbor",
  "gate:StorageVersionMigrator": "storage migration",
};

/** The first match names the feature. `request` is the step's method and path, `headers` its headers. */
const featureOfStep: readonly (readonly [feature: string, fits: (step: { request: string; headers: string }) => boolean])[] = [
  ["roles", ({ request }) => request.includes("/rbac.authorization.")],
  ["policies", ({ request }) => request.includes("/admissionregistration.")],
  ["custom resources", ({ request }) => request.includes("/apiextensions.")],
  ["reviews", ({ request }) => /reviews?(\?|$)/.test(request)],
  ["impersonation", ({ headers }) => /impersonate/i.test(headers)],
  ["cbor", ({ headers }) => headers.includes("cbor")],
];

/** The missing feature of a failed scenario: by the first failing step, else by its needs, else its area. */
export function guessReason({ case: { area, scenario }, differences }: Outcome): string {
  const step = scenario.steps[differences[0]?.step ?? -1];
  const seen = { request: step?.do ?? "", headers: JSON.stringify(step?.headers ?? {}) };
  const needed = (scenario.needs ?? []).map((need) => featureOfNeed[need]).find((feature) => feature !== undefined);
  return featureOfStep.find(([, fits]) => fits(seen))?.[0] ?? needed ?? area;
}

/**
 * Updates the list with the replayed scenarios: failing ones are added with their previous reason or else `reasonOf`, passing ones and
 * names without a recording are removed. Other entries stay, and so do areas without their resource.
 */
export function updatePending(
  list: Pending,
  cases: readonly Case[],
  outcomes: readonly Outcome[],
  reasonOf: (outcome: Outcome) => string,
): Pending {
  const byCase = new Map(outcomes.map((outcome) => [outcome.case, outcome]));
  const areas = [...new Set(cases.map(({ area }) => area))].flatMap((area) => {
    const missing = missingResource(list, area);
    return missing === undefined ? [] : [[area, missing] as const];
  });
  const rows = cases.filter(({ area }) => missingResource(list, area) === undefined).flatMap((one) => {
    const outcome = byCase.get(one);
    const before = pendingReason(list, one.area, one.scenario.name);
    const reason = outcome === undefined ? before : outcome.differences.length === 0 ? undefined : before ?? reasonOf(outcome);
    return reason === undefined ? [] : [{ area: one.area, name: one.scenario.name, reason }];
  });
  const listed = [...Map.groupBy(rows, ({ area }) => area)].map(([area, inArea]) =>
    [area, Object.fromEntries(inArea.map(({ name, reason }) => [name, reason]))] as const
  );
  return Object.fromEntries([...listed, ...areas].sort(([a], [b]) => a < b ? -1 : 1));
}

export function writePending(list: Pending): void {
  writeFileSync(pendingPath, `${JSON.stringify(list, undefined, 2)}\n`);
}
