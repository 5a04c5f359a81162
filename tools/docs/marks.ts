/**
 * A page with a new text between its two marks.
 * @throws {Error} If the page lacks a mark.
 */
export function within(page: string, begin: string, end: string, text: string): string {
  const from = page.indexOf(begin), to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The page has no marks ${begin} and ${end}`);
  return `${page.slice(0, from)}${begin}\n${text}\n${page.slice(to)}`;
}
