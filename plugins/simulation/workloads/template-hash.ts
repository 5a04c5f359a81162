/** Short names of templates, for what is made from one. */
import { valueText } from "../../../core/value-text.ts";

/** Letters that spell no words. */
const letters = "bcdfghjklmnpqrstvwxz2456789";

/**
 * Returns a text of at most ten letters that is the same for equal templates, and probably different for others. `collisions` gives another
 * name to the same template. The texts are not those of kube-controller-manager.
 */
export function templateHash(template: unknown, collisions = 0): string {
  const text = `${valueText(template)}${collisions === 0 ? "" : collisions}`;
  let hash = 0x811c9dc5; // FNV-1a with 32 bits
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return [...String(hash)].map((digit) => letters[Number(digit) % letters.length]).join("");
}
