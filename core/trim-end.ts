/** The text without the `mark` characters at its end. A pattern such as /0+$/ takes quadratic time where runs stand before the end. */
export function trimEndOf(text: string, mark: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === mark) end--;
  return text.slice(0, end);
}
