/** Cases that may differ from what was recorded, by id, with the reason. */

export const differences: ReadonlyMap<string, string> = new Map<string, string>([
  ["c87d89b283e0", "the recorded cost depends on Go's random order of maps; here members are in the order of the object"],
  ["2250890f33dd", "upstream calls the type of a JSONPatch `type`"],
  ["d11301cbbd67", "upstream reports an unknown field of a JSONPatch as an internal error"],
  ["e19acbe94d35", "the enumeration google.protobuf.NullValue is not declared"],
]);
