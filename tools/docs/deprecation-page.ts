/** Generates docs/deprecation-policy.md from the rules and periods with which definitions are checked. */
import {
  betaLifetimeSince,
  betaOffSince,
  betaVersion,
  flagPeriods,
  gatePeriods,
  monthsPerRelease,
  type Period,
  periodText,
  policyRules,
  releasesOf,
} from "../../core/define/deprecation-policy.ts";
import { metricPeriods } from "../../metrics/mod.ts";
import { conventions } from "./conventions.ts";
import { type NamedTest, testsOfRules } from "./named-tests.ts";

const intro = `# Deprecation policy

What operators and clients can rely on when the server or a plugin changes, and what a plugin may change. \`npm run docs\` generates this page
from the rules and periods that the code uses. Each rule has a test that names it.

\`definePlugin\` and \`defineResource\` report every violation together with the other mistakes of a definition: what is wrong and where,
what to do, and the name of the rule. Custom resources are exempt, because clients write their definitions.

A period is the longer one of months and minor releases. A minor release takes ${monthsPerRelease} months.
`;

/** The text of the page. */
export async function deprecationPage(): Promise<string> {
  const tests = await testsOfRules();
  return [
    intro,
    "## Periods",
    "",
    "| what | period | minor releases |",
    "|---|---|---|",
    ...periodRows(),
    "",
    `Beta versions from before ${betaLifetimeSince} had no maximum time until their deprecation, and none until their removal. Those from before ` +
    `${betaOffSince} are on by default.`,
    "",
    "## Rules",
    "",
    "| rule | says | tests |",
    "|---|---|---|",
    ...Object.entries(policyRules).map(([name, text]) => `| \`${name}\` | ${text} | ${linksOf(tests.get(name) ?? [])} |`),
    "",
    released,
    "## Other rules",
    "",
    "What clients and operators can rely on besides. Each row is proved by the tests that name it.",
    "",
    "| rule | says | tests |",
    "|---|---|---|",
    ...Object.entries(conventions).map(([name, text]) => `| \`${name}\` | ${text} | ${linksOf(tests.get(name) ?? [])} |`),
    "",
  ].join("\n");
}

function periodRows(): readonly string[] {
  const row = (what: string, period: Period) => `| ${what} | ${periodText(period)} | ${releasesOf(period)} |`;
  return [
    "| GA version, until its removal | never within the major release | |",
    row("beta version, from its introduction to its deprecation, at most", betaVersion.untilDeprecation),
    row("beta version, from its deprecation to its removal, exactly", betaVersion.untilRemoval),
    "| alpha version, until its removal | none | 0 |",
    ...Object.entries(flagPeriods).map(([stage, period]) => row(`deprecated flag of ${article(stage)} feature`, period)),
    row("gate of a feature that is GA, until its removal", gatePeriods.graduated),
    ...(["GA", "Beta", "Alpha"] as const).map((stage) => row(`deprecated gate that was ${stage} before`, gatePeriods[stage])),
    ...Object.entries(metricPeriods).flatMap(([stability, { beforeDeprecation, afterDeprecation }]) => [
      `| ${stability} metric, from its introduction to its deprecation | | ${beforeDeprecation} |`,
      `| ${stability} metric, from its deprecation until it is hidden | | ${afterDeprecation} |`,
    ]),
  ];
}

function article(stage: string): string {
  return stage === "Alpha" ? "an alpha" : stage === "Beta" ? "a beta" : "a GA";
}

function linksOf(tests: readonly NamedTest[]): string {
  return [...new Set(tests.map(({ file }) => file))].map((file) => `[${file.slice(file.lastIndexOf("/") + 1)}](../${file})`).join(", ");
}

const released = `## Keep the elements of a plugin's releases

The server cannot know what an earlier release of a plugin had. A plugin keeps that in a file, which it writes at each release with
\`JSON.stringify(releasedElements(plugin))\` (from \`thole/plugin\`), and names the parsed content in its definition: \`definePlugin({ ..., released })\`.
From then on a definition that lacks a field, an enum value, a subresource or a kind of a beta or GA version is an error. So is a field with
another type, a field that became required, and a removal that was moved forward:

> Widget: example.com/v1: field "spec.colour" was released and is missing: keep it, and leave it out of a new version (deprecation policy,
> rule element-removal)
`;
