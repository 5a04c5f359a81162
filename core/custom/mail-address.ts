/** Mail addresses as Go's `mail.ParseAddress` accepts them (RFC 5322): `local@domain`, or a name with the address in angle brackets. */

const atomCharacters = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+$/;

/** Whether the text is one address. Linear in its length. */
export function isMailAddress(text: string): boolean {
  const trimmed = text.trim();
  if (!trimmed.endsWith(">")) return isAddressSpec(trimmed);
  const open = trimmed.lastIndexOf("<");
  return open >= 0 && isPhrase(trimmed.slice(0, open).trim()) && isAddressSpec(trimmed.slice(open + 1, -1).trim());
}

/** Returns the display name: words and quoted texts, or nothing. */
function isPhrase(text: string): boolean {
  for (let at = 0; at < text.length;) {
    if (text[at] === " " || text[at] === "\t") at++;
    else if (text[at] === '"') {
      const end = quotedEnd(text, at);
      if (end < 0) return false;
      at = end;
    } else {
      let end = at;
      while (end < text.length && !' \t"'.includes(text[end]!)) end++;
      if (!isDotAtom(text.slice(at, end), true)) return false;
      at = end;
    }
  }
  return true;
}

function isAddressSpec(text: string): boolean {
  const localEnd = text.startsWith('"') ? quotedEnd(text, 0) : text.indexOf("@");
  if (localEnd <= 0 || text[localEnd] !== "@") return false;
  const domain = text.slice(localEnd + 1);
  const hasLocal = text.startsWith('"') ? localEnd > 2 : isDotAtom(text.slice(0, localEnd), false);
  return hasLocal && (domain.startsWith("[") ? isLiteral(domain) : isDotAtom(domain, false));
}

/** Words joined by dots. `loose`: dots may be anywhere. */
function isDotAtom(text: string, loose: boolean): boolean {
  const words = text.split(".");
  return words.every((word) => word === "" ? loose : atomCharacters.test(word));
}

/** Returns a domain in square brackets. */
function isLiteral(text: string): boolean {
  return /^\[[0-9A-Fa-fIPv:.]+\]$/.test(text);
}

/** Returns the position behind the quoted text that opens at `at`; -1 if it does not end. */
function quotedEnd(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === '"') return index + 1;
    else if (text[index] === "\n" || text[index] === "\r") return -1;
  }
  return -1;
}
