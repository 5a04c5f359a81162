/** `--disable-admission-plugins`: removes admission steps. */
import type { Plugin } from "../../core/plugin.ts";
import { nearest } from "../../core/nearest.ts";

/** The plugins without the steps of these names. Unknown names are added to `mistakes`. */
export function withoutAdmission(plugins: readonly Plugin[], disabled: readonly string[], mistakes: string[]): readonly Plugin[] {
  const known = plugins.flatMap(({ admission = [] }) => admission.map(({ name }) => name));
  for (const name of disabled.filter((each) => !known.includes(each))) {
    const near = nearest(name, known);
    mistakes.push(
      `unknown admission plugin "${name}"${near === undefined ? "" : `: did you mean "${near}"?`} (there are: ${known.join(", ")})`,
    );
  }
  return plugins.map((plugin) => {
    const { admission = [] } = plugin;
    const kept = admission.filter(({ name }) => !disabled.includes(name));
    return kept.length === admission.length ? plugin : { ...plugin, admission: kept };
  });
}
