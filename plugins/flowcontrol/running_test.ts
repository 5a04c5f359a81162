import assert from "node:assert/strict";
import { test } from "node:test";
import { type Linked, RunningList } from "./running.ts";

interface Member extends Linked<Member> {
  readonly name: string;
}

test("RunningList: the members in the order of their additions, whatever is removed", () => {
  const [a, b, c] = ["a", "b", "c"].map((name): Member => ({ name, before: undefined, after: undefined })) as [Member, Member, Member];
  const names = (list: RunningList<Member>) => [list.size, list.all().map(({ name }) => name).join("")];
  for (const [removed, left] of [[a, "bc"], [b, "ac"], [c, "ab"]] as const) {
    const list = new RunningList<Member>();
    for (const each of [a, b, c]) list.add(each);
    assert.deepEqual(names(list), [3, "abc"]);
    list.remove(removed);
    assert.deepEqual(names(list), [2, left]);
    list.add(removed);
    assert.deepEqual(names(list), [3, left + removed.name]);
    for (const each of [c, a, b]) list.remove(each);
    assert.deepEqual(names(list), [0, ""]);
  }
});
