/** Whether two canonical values are equal, ignoring key order. Shared parts are not compared. Values may have ten thousand levels. */
export function sameValue(a: unknown, b: unknown): boolean {
  return sameWithin(a, b, depthMax) ?? sameDeep(a, b);
}

/** Levels that are compared by recursion, which is faster. */
const depthMax = 200;

/** Undefined if the values are deeper. */
function sameWithin(a: unknown, b: unknown, depth: number): boolean | undefined {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth === 0) return undefined;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) {
      const same = sameWithin(a[i], b[i], depth - 1);
      if (same !== true) return same;
    }
    return true;
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key)) return false;
    const same = sameWithin((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], depth - 1); // both are plain objects
    if (same !== true) return same;
  }
  return true;
}

/** Works like `sameWithin`, without recursion. */
function sameDeep(a: unknown, b: unknown): boolean {
  const waiting: [unknown, unknown][] = [[a, b]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [left, right] = next;
    if (Object.is(left, right)) continue;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false;
      waiting.push([(left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]]); // lists and plain objects
    }
  }
  return true;
}
