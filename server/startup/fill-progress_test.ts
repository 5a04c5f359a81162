import assert from "node:assert/strict";
import { test } from "node:test";
import { fillProgress } from "./fill-progress.ts";

test("fillProgress() shows fills at the same time as one, and a later one from zero", async () => {
  const seen: string[] = [];
  const { onPage, during } = fillProgress((what) => {
    seen.push(what);
    return { done: (objects) => void seen.push(String(objects)), end: () => void seen.push("end") };
  });
  const other = Promise.withResolvers<void>();
  const late = during(() => other.promise);
  await assert.rejects(
    during(() => {
      onPage(500);
      return Promise.reject(new Error("lost"));
    }),
    /lost/,
  );
  onPage(7);
  other.resolve();
  await late;
  await during(async () => onPage(3));
  assert.deepEqual(seen, ["filling the watch cache", "500", "7", "end", "filling the watch cache", "3", "end"]);
});
