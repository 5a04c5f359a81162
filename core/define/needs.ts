/** Which plugins need others (`Plugin.needs`). */
import type { Plugin } from "../plugin.ts";

/** Returns a mistake for each plugin without which another one cannot be served. */
export function needMistakes(plugins: readonly Plugin[]): readonly string[] {
  const names = new Set(plugins.map(({ name }) => name));
  return plugins.flatMap(({ name, needs = [] }) =>
    needs.filter((each) => !names.has(each)).map((each) =>
      `plugin "${name}" needs the plugin "${each}", which is not selected: select "${each}" too, or leave out "${name}"`
    )
  );
}
