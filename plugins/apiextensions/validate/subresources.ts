import { type FieldError, invalid, required } from "../../../plugin.ts";
import type { Subresources } from "../schema.ts";
import { validateSimplePath } from "./simple-path.ts";

/** Validates the paths of scale. */
export function validateSubresources(subresources: Subresources | undefined, path: string): readonly FieldError[] {
  const { scale } = subresources ?? {};
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = scale;
  const below = (
    key: string,
    text: string,
    prefixes: readonly string[],
    rule: string,
    quoted: "go" | "json" = "go",
  ): readonly FieldError[] => {
    const at = `${path}.scale.${key}`, wrong = validateSimplePath(text, at);
    return wrong.length > 0 || prefixes.some((prefix) => text.startsWith(prefix))
      ? wrong
      : [{ ...invalid(at, text, `should be a json path under ${rule}`), quoted }];
  };
  const replicas = (key: string, text: string, prefix: string) =>
    text === "" ? [required(`${path}.scale.${key}`, "")] : below(key, text, [`${prefix}.`], prefix);
  return [
    ...replicas("specReplicasPath", specReplicasPath, ".spec"),
    ...replicas("statusReplicasPath", statusReplicasPath, ".status"),
    ...labelSelectorPath === ""
      ? []
      : below("labelSelectorPath", labelSelectorPath, [".spec.", ".status."], "either .spec or .status", "json"),
  ];
}
