/** Names of iSCSI nodes, as upstream validates them. */

const tailExcludes = /[,;*&$|\t\n\f\r ]/;
const dated = /iqn\.[0-9]{4}-[0-9]{2}\.[A-Za-z0-9.-]/;

/**
 * Whether the name ends with a qualified name such as `iqn.2024-01.com.example:disk`. Upstream's pattern is not anchored at the start,
 * so any prefix is accepted. The scan goes from the end, colon by colon, and is linear in the length of the name.
 */
export function isQualifiedIscsiName(name: string): boolean {
  let end = name.length;
  for (let colon = name.lastIndexOf(":"); colon >= 0; colon = colon === 0 ? -1 : name.lastIndexOf(":", colon - 1)) {
    if (tailExcludes.test(name.slice(colon + 1, end))) return false;
    if (colon + 1 < name.length && dated.test(authorityBefore(name, colon))) return true;
    end = colon;
  }
  return false;
}

/** Whether the name is `eui.` with 16 letters and digits, or `naa.` with 32. */
export function isNumberedIscsiName(name: string): boolean {
  return /^eui[^\n][A-Za-z0-9]{16}$/u.test(name) || /^naa[^\n][A-Za-z0-9]{32}$/u.test(name);
}

/** The letters, digits, dots and dashes that end at `colon`. */
function authorityBefore(name: string, colon: number): string {
  let start = colon;
  while (start > 0 && isAuthority(name.charCodeAt(start - 1))) start--;
  return name.slice(start, colon);
}

function isAuthority(code: number): boolean {
  return code >= 0x61 && code <= 0x7a || code >= 0x41 && code <= 0x5a || code >= 0x30 && code <= 0x39 || code === 0x2d || code === 0x2e;
}
