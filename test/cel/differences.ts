/** Cases that may differ from what was recorded, by id, with the reason. */
export const differences: ReadonlyMap<string, string> = new Map([
  ["c87d89b283e0", "the recorded cost depends on Go's random order of maps; here members are in the order of the object"],
]);
