/**
 * `definePlugin(...)` checks a definition, reports all mistakes in one error, and freezes a correct definition. Nothing is checked again
 * afterwards.
 */
import { lineNames, metricMistakes } from "../../metrics/mod.ts";
import { append } from "../append.ts";
import { groupVersionMistakes, minorOf, repeated, resourceMistakes } from "./resource.ts";
import { pluralOf } from "./plural.ts";
import { dns1035Label, qualifiedName } from "../meta/names.ts";
import { fieldErrorText } from "../field-error.ts";
import { validateFieldManager } from "../meta/field-manager.ts";
import type { GateStage, Plugin, Resource } from "../plugin.ts";
import type { ApiObject } from "../meta/object-meta.ts";

export { pluralOf };

/** A definition that cannot be used; `mistakes` are all that was found, the message lists them. */
export class DefinitionError extends Error {
  readonly mistakes: readonly string[];
  constructor(what: string, mistakes: readonly string[]) {
    super(`Cannot define ${what}:\n${mistakes.map((each) => `  ${each}`).join("\n")}`);
    this.name = "DefinitionError";
    this.mistakes = mistakes;
  }
}

/** The resource itself, checked and frozen. Feature gates are checked with the plugin that declares them. */
export function defineResource<T extends ApiObject>(resource: Resource<T>): Resource<T> {
  const mistakes = resourceMistakes(resource, undefined);
  if (mistakes.length > 0) throw new DefinitionError(`resource "${resource.kind}"`, mistakes);
  return deepFreeze(resource);
}

/** The plugin itself, checked and frozen. */
export function definePlugin(plugin: Plugin): Plugin {
  const mistakes = pluginMistakes(plugin);
  if (mistakes.length > 0) throw new DefinitionError(`plugin "${plugin.name}"`, mistakes);
  return deepFreeze(plugin);
}

function pluginMistakes(plugin: Plugin): readonly string[] {
  const {
    resources = [],
    admission = [],
    controllers = [],
    healthChecks = [],
    startHooks = [],
    metrics = [],
    featureGates = {},
    groupPriorities = {},
  } = plugin;
  const gates = new Set(Object.keys(featureGates));
  return [
    ...(dns1035Label(plugin.name).length > 0 ? [`"${plugin.name}" is not a name of lower-case letters, digits and dashes`] : []),
    ...(plugin.summary.trim() === "" ? ["the summary is empty"] : []),
    ...Object.entries(featureGates).flatMap(([gate, ladder]) => gateMistakes(gate, ladder)),
    ...Object.keys(plugin.gateDependencies ?? {}).filter((gate) => !gates.has(gate)).map((gate) =>
      `feature gate "${gate}" depends on others and is none of the plugin's`
    ),
    ...Object.entries(groupPriorities).filter(([, priority]) => !Number.isInteger(priority) || priority < 0).map(([group, priority]) =>
      `group "${group}" has the priority ${priority}`
    ),
    ...resources.flatMap((resource) => resourceMistakes(resource, gates)),
    ...repeated(resources.flatMap(endpointsOf)).map((each) => `${each} is defined twice`),
    ...repeated(resources.flatMap(({ storedUnder }) => storedUnder ?? [])).map((each) => `two resources are stored under "${each}"`),
    ...repeated(admission.map((step) => step.name)).map((each) => `two steps of admission are called "${each}"`),
    ...repeated(controllers.map((controller) => controller.name)).map((each) => `two controllers are called "${each}"`),
    // A controller's name is the reporting controller of its events.
    ...controllers.filter(({ name }) => qualifiedName(name).length > 0).map(({ name }) =>
      `controller "${name}": its name must be a qualified name`
    ),
    ...controllers.flatMap(({ name, gate, needs = [] }) => [
      ...(gate === undefined || gates.has(gate) ? [] : [`controller "${name}": the plugin has no feature gate "${gate}"`]),
      ...needs.flatMap(({ groupVersions }) => groupVersions.flatMap(groupVersionMistakes)).map((each) => `controller "${name}": ${each}`),
    ]),
    ...repeated(healthChecks.map((check) => check.name)).map((each) => `two health checks are called "${each}"`),
    ...repeated(startHooks.map((hook) => hook.name)).map((each) => `two start hooks are called "${each}"`),
    // They are paths as well: /readyz/<name>.
    ...[...healthChecks, ...startHooks].filter(({ name }) => !/^[A-Za-z0-9][-._A-Za-z0-9/]*$/.test(name)).map(({ name }) =>
      `"${name}" is no name of a health check or start hook: letters, digits, dashes, dots, underscores and slashes`
    ),
    ...[...controllers, ...startHooks].flatMap(({ name, fieldManager = name }) => managerMistakes(name, fieldManager)),
    ...repeated(metrics.flatMap(lineNames)).map((each) => `two metrics have lines called "${each}"`),
    ...metrics.flatMap((metric) => metricMistakes(metric).map((each) => `metric "${metric.name}": ${each}`)),
    ...bootstrapObjectMistakes(plugin),
  ];
}

/** `plural in group/version` for each version that shows the resource. */
function endpointsOf(resource: Resource): readonly string[] {
  return Object.keys(resource.served).map((groupVersion) => `${resource.plural ?? pluralOf(resource.kind)} in ${groupVersion}`);
}

/** The field manager of a controller or start hook is part of every object that it writes. */
function managerMistakes(name: string, fieldManager: string): readonly string[] {
  if (fieldManager === "") return [`"${name}" has an empty field manager`];
  return validateFieldManager(fieldManager, `field manager of "${name}"`).map(fieldErrorText);
}

function gateMistakes(gate: string, ladder: readonly GateStage[]): readonly string[] {
  const mistakes: string[] = [];
  if (!/^[A-Z][A-Za-z0-9]*$/.test(gate)) mistakes.push(`feature gate "${gate}" is not in upper camel case`);
  if (ladder.length === 0) mistakes.push(`feature gate "${gate}" has no stages`);
  for (const [i, { since, removed }] of ladder.entries()) {
    if (!/^[0-9]+\.[0-9]+$/.test(since)) mistakes.push(`feature gate "${gate}": "${since}" is not a release such as "1.18"`);
    if (removed !== undefined && !(minorOf(removed) > minorOf(since))) {
      mistakes.push(`feature gate "${gate}": it is removed in ${removed}, which does not come after ${since}`);
    }
    const before = ladder[i - 1];
    if (before !== undefined && !(minorOf(since) > minorOf(before.since))) {
      mistakes.push(`feature gate "${gate}": ${since} comes after ${before.since}`);
    }
  }
  return mistakes;
}

function bootstrapObjectMistakes({ resources = [], bootstrapObjects = [] }: Plugin): readonly string[] {
  return bootstrapObjects.flatMap(({ groupVersion, resource: plural, namespace }) => {
    const writing = groupVersionMistakes(groupVersion);
    if (writing.length > 0) return writing;
    const resource = resources.find((each) => (each.plural ?? pluralOf(each.kind)) === plural && Object.hasOwn(each.served, groupVersion));
    if (resource === undefined) return [`a seed is of ${plural} in ${groupVersion}, which the plugin does not define`];
    const namespaced = resource.scope === "Namespaced";
    return namespaced === (namespace !== undefined) ? [] : [`a seed of ${plural} ${namespaced ? "needs a" : "has no"} namespace`];
  });
}

/** Freezes plain data all the way down; functions stay as they are. */
function deepFreeze<V>(value: V): V {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const at = waiting.pop();
    if (typeof at !== "object" || at === null || seen.has(at)) continue;
    seen.add(at);
    Object.freeze(at);
    append(waiting, Object.values(at));
  }
  return value;
}
