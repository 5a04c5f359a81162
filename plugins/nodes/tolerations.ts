import type { Toleration } from "../shared/pod/affinity.ts";

/** The tolerations without those that another one includes. Of equal ones the first stays. */
export function mergeTolerations(all: readonly Toleration[]): readonly Toleration[] {
  const merged: Toleration[] = [];
  all.forEach((each, i) => {
    if (merged.some((other) => includes(other, each))) return;
    if (all.slice(i + 1).some((other) => !isSame(other, each) && includes(other, each))) return;
    merged.push(each);
  });
  return merged;
}

function isSame(a: Toleration, b: Toleration): boolean {
  return (["key", "operator", "value", "effect"] as const).every((name) => (a[name] ?? "") === (b[name] ?? "")) &&
    a.tolerationSeconds === b.tolerationSeconds;
}

function includes(wide: Toleration, narrow: Toleration): boolean {
  if (isSame(wide, narrow)) return true;
  const { key = "", operator = "", value = "", effect = "" } = wide;
  if (key !== (narrow.key ?? "") && (key !== "" || operator !== "Exists")) return false;
  if (effect !== "" && effect !== narrow.effect) return false;
  if (effect === "NoExecute" && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  return operator === "Exists" ||
    ((operator === "Equal" || operator === "") && narrow.operator === "Equal" && value === (narrow.value ?? ""));
}
