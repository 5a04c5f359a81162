/**
 * Marks a constant as a bound of memory, work or waits. The constant stands beside the code that keeps the bound, its comment says what it bounds and its name
 * ends with the unit; `docs/limits.md` is made from these declarations.
 */
export const bound = (value: number): number => value;
