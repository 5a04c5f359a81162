/** `--controllers`: the controllers that run here. The others are left to a kube-controller-manager beside the server. */
import { nearest } from "../../core/nearest.ts";
import type { Controller } from "../../core/controller.ts";
import type { Plugin } from "../../core/plugin.ts";

/** The ending of kube-controller-manager's names, which its command lines have: `garbage-collector-controller`. */
const ending = "-controller";
const all = "*";

/** The plugins with the controllers that run: the required ones, and those that `list` chooses. Unknown names are added to `mistakes`. */
export function chosenControllers(plugins: readonly Plugin[], list: readonly string[], mistakes: string[]): readonly Plugin[] {
  const known = plugins.flatMap(({ controllers = [] }) => controllers).filter(isChoice).map(({ name }) => name);
  const written = list.map((each) => each.startsWith("-") ? { name: each.slice(1), isOut: true } : { name: each, isOut: false });
  const words = written.map(({ name, isOut }) => ({ name: nameOf(name, known), isOut }));
  for (const { name } of words.filter(({ name }) => name !== all && !known.includes(name))) {
    const near = nearest(name, known);
    mistakes.push(`unknown controller "${name}"${near === undefined ? "" : `: did you mean "${near}"?`} (there are: ${known.join(", ")})`);
  }
  const has = (name: string, isOut: boolean) => words.some((word) => word.name === name && word.isOut === isOut);
  const isAll = !has(all, true) && (has(all, false) || words.every(({ isOut }) => isOut));
  const runs = (controller: Controller) => !isChoice(controller) || !has(controller.name, true) && (isAll || has(controller.name, false));
  return plugins.map((plugin) => {
    const { controllers = [] } = plugin, kept = controllers.filter(runs);
    return kept.length === controllers.length ? plugin : { ...plugin, controllers: kept };
  });
}

/** Whether `--controllers` may leave it out. */
export function isChoice({ isRequired = false }: Controller): boolean {
  return !isRequired;
}

function nameOf(written: string, known: readonly string[]): string {
  const short = written.endsWith(ending) ? written.slice(0, -ending.length) : written;
  return known.includes(short) ? short : written;
}
