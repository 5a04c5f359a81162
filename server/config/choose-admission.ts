/** `--enable-admission-plugins` and `--disable-admission-plugins`: the admission steps that run. */
import { nearest } from "../../core/nearest.ts";
import type { Plugin } from "../../core/plugin.ts";
import { namespaceLifecycle, newerSteps, upstreamOrder } from "../../core/admission/order.ts";

/** The plugins with the steps that run, and whether the kernel's own step does. */
export interface ChosenAdmission {
  readonly plugins: readonly Plugin[];
  readonly checksNamespaces: boolean;
}

/**
 * Names that upstream has and Thole has not may be disabled, because they do nothing here, but not enabled, except those of later releases. These and
 * unknown names, and names in both lists, are added to `mistakes`.
 */
export function chosenAdmission(
  plugins: readonly Plugin[],
  { enabled, disabled }: { readonly enabled: readonly string[]; readonly disabled: readonly string[] },
  mistakes: string[],
): ChosenAdmission {
  const known = [namespaceLifecycle, ...plugins.flatMap(({ admission = [] }) => admission.map(({ name }) => name))];
  checkNames(enabled, disabled, known, mistakes);
  const chosen = plugins.map((plugin) => {
    const { admission = [] } = plugin;
    const kept = admission.filter(({ name, isOptional }) => !disabled.includes(name) && (isOptional !== true || enabled.includes(name)));
    return kept.length === admission.length ? plugin : { ...plugin, admission: kept };
  });
  return { plugins: chosen, checksNamespaces: !disabled.includes(namespaceLifecycle) };
}

/** Steps that run and cannot do so without a configuration, each as a mistake. */
export function missingConfigurations({ plugins }: ChosenAdmission, configurations: ReadonlyMap<string, unknown>): readonly string[] {
  return plugins.flatMap(({ admission = [] }) =>
    admission.filter(({ name, configuration }) => configuration?.isRequired === true && !configurations.has(name)).map(({ name }) =>
      `admission plugin "${name}" needs a configuration in the file of --admission-control-config-file`
    )
  );
}

function checkNames(enabled: readonly string[], disabled: readonly string[], known: readonly string[], mistakes: string[]): void {
  for (const name of enabled.filter((each) => disabled.includes(each))) {
    mistakes.push(`admission plugin "${name}" is in --enable-admission-plugins and in --disable-admission-plugins`);
  }
  for (const name of enabled.filter((each) => !known.includes(each) && upstreamOrder.includes(each))) {
    mistakes.push(
      `admission plugin "${name}" of kube-apiserver is not in this server and cannot be enabled (there are: ${known.join(", ")})`,
    );
  }
  const named = new Set([...known, ...upstreamOrder, ...newerSteps]);
  for (const name of [...enabled, ...disabled].filter((each) => !named.has(each))) {
    const near = nearest(name, known);
    mistakes.push(
      `unknown admission plugin "${name}"${near === undefined ? "" : `: did you mean "${near}"?`} (there are: ${known.join(", ")})`,
    );
  }
}
