import assert from "node:assert/strict";
import { test } from "node:test";
import { controllerBoard } from "./controller-board.ts";

test("controllerBoard() has what each controller does, and counts failures over configurations", () => {
  const board = controllerBoard();
  board.reset([["one", "starting"], ["two", "off"]]);
  board.set("one", "running");
  board.set("one", "failed");
  assert.deepEqual(board.rows(), [{ name: "one", doing: "failed", failures: 1 }, { name: "two", doing: "off", failures: 0 }]);
  board.reset([["one", "starting"]]);
  board.set("two", "running");
  assert.deepEqual(board.rows(), [{ name: "one", doing: "starting", failures: 1 }]);
});
