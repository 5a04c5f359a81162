/** Returns the text without trailing `mark` characters. A pattern such as /0+$/ takes quadratic time for runs before the end. */
export function trimEndOf(text: string, mark: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === mark) end--;
  return text.slice(0, end);
}
