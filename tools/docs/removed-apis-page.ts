/** Generates docs/removed-apis.md from the table of removed APIs. */
import { defaultNames, spell } from "../../core/names.ts";
import { type RemovedApi, removedApis } from "../../core/removed-apis.ts";
import { table } from "./markdown-table.ts";

/** The text of the page. */
export function removedApisPage(): string {
  const releases = Map.groupBy(removedApis, ({ removed }) => removed);
  const sections = [...releases].flatMap(([release, rows]) => [
    "",
    `## ${release}`,
    "",
    table([["group and version", "kinds", "move to", "changes"], ...rows.map(rowOf)]),
  ]);
  return [
    `# Removed APIs

The API versions that releases of Kubernetes stopped serving, by release, with what replaces each. Thole serves none of them: a request for such a path gets
404, as from kube-apiserver 1.35, and \`--runtime-config\` with such a version is an error that names its replacement.

\`thole convert\` changes files to the replacement, see [upgrading.md](upgrading.md). \`npm run docs\` generates this page from \`core/removed-apis.ts\`.
Groups are those of the group domain \`k8s.io\`. What the built-in kinds deprecate now is in [kinds.md](kinds.md).`,
    ...sections,
    "",
  ].join("\n");
}

function rowOf({ groupVersion, kinds, replacements, instead, changes }: RemovedApi): readonly string[] {
  const named = (text: string) => `\`${spell(defaultNames, text)}\``;
  return [
    named(groupVersion),
    kinds.map(named).join(" "),
    instead === undefined ? replacements.map(named).join(" or ") : `removed without a replacement: ${instead}`,
    changes.join("; "),
  ];
}
