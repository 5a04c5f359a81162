/** Returns a text about a token without the token and without the parts between its dots, such as the signature. */
export function withoutToken(text: string, token: string): string {
  // Shorter parts could be words of the text, and alone are no secret.
  const parts = token.split(".").filter((part) => part.length >= secretLengthMin);
  return [token, ...parts].filter((part) => part !== "").reduce((rest, part) => rest.replaceAll(part, "<token>"), text);
}

/** UTF-16 units of the shortest part that is removed. */
const secretLengthMin = 8;
