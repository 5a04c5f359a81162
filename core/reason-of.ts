/** Why something failed, in the words of whoever noticed it. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
