/** Generates docs/kinds.md from the definitions of the built-in plugins. */
import { defaultNames } from "../../core/names.ts";
import type { Plugin } from "../../core/plugin.ts";
import type { CatalogConfig, Endpoint } from "../../kernel/catalog/catalog.ts";
import { compile } from "../../kernel/catalog/compile.ts";
import { plugins } from "../../plugins/mod.ts";

const intro = `# Kinds

The kinds of the built-in plugins, with their versions in 1.35. \`npm run docs\` generates this page from the definitions; a test fails when they differ.
Names are those of the group domain \`k8s.io\`; with \`--group-domain\` the groups that end in it change. \`kubectl explain KIND\` describes the fields,
\`kubectl api-resources\` lists what a server serves now, custom resources too.

The verbs are create, delete, deletecollection, get, list, patch, update and watch. Versions in parentheses are not served by default; \`--runtime-config=GROUP/VERSION=true\` serves them.
`;

/** The text of the page. */
export function kindsPage(): string {
  const byDefault = endpointsOf([]), all = endpointsOf([["api/all", true]]);
  const sections = plugins.flatMap((plugin) => sectionOf(plugin, all, new Set(byDefault.map(pathOf))));
  return [intro, ...sections].join("\n");
}

function endpointsOf(runtimeConfig: readonly (readonly [string, boolean])[]): readonly Endpoint[] {
  const config: CatalogConfig = {
    names: defaultNames,
    featureGates: new Map([["AllAlpha", true], ["AllBeta", true]]),
    runtimeConfig: new Map(runtimeConfig),
  };
  return compile(plugins, config).groups.flatMap(({ versions }) => versions.flatMap(({ endpoints }) => endpoints));
}

/** create, delete, deletecollection, get, list, patch, update, watch. */
const allVerbs = 8;

const pathOf = ({ apiVersion, plural }: Endpoint) => `${apiVersion}/${plural}`;

function sectionOf({ name, summary, resources = [] }: Plugin, all: readonly Endpoint[], served: ReadonlySet<string>): readonly string[] {
  const rows = resources.flatMap((resource) => {
    const groups = Map.groupBy(all.filter((endpoint) => endpoint.resource === resource), ({ group }) => group);
    return [...groups.values()].map((endpoints) => rowOf(endpoints, served));
  });
  if (rows.length === 0) return [];
  return [
    `## ${name}`,
    "",
    summary,
    "",
    "| kind | group | versions | resource | scope | subresources | verbs |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
  ];
}

/** One kind in one group, from its endpoints in the order of preference. */
function rowOf(endpoints: readonly Endpoint[], served: ReadonlySet<string>): string {
  const { kind, group, plural, namespaced, resource, subresources, verbs } = endpoints[0]!;
  const versions = endpoints.map((endpoint) => {
    const text = `\`${endpoint.version}\`${
      endpoint.deprecation === undefined ? "" : `, deprecated, removed in ${endpoint.deprecation.removedRelease}`
    }`;
    return served.has(pathOf(endpoint)) ? text : `(${text})`;
  });
  const short = (resource.shortNames ?? []).map((name) => `\`${name}\``);
  const cells = [
    `\`${kind}\``,
    group === "" ? "core" : `\`${group}\``,
    versions.join(" "),
    [`\`${plural}\``, ...short].join(" "),
    namespaced ? "namespace" : "cluster",
    [...subresources.keys()].map((each) => `\`${each}\``).join(" "),
    verbs.length === allVerbs ? "all" : verbs.join(", "),
  ];
  return `| ${cells.join(" | ")} |`;
}
