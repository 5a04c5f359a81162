import assert from "node:assert/strict";
import { test } from "node:test";
import { lastDue, readSchedule } from "./cron-schedule.ts";

const at = (text: string): number => Date.parse(text);
const after = (schedule: string, zone: string, from: string): string | undefined => {
  const ms = readSchedule(schedule, zone).after(at(from));
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

test("schedules are due by their fields, in their time zone", () => {
  assert.equal(after("*/5 * * * *", "UTC", "2026-03-07T10:02:30Z"), "2026-03-07T10:05:00.000Z");
  assert.equal(
    after("0 0 1,15 * 1", "UTC", "2026-03-07T10:02:30Z"),
    "2026-03-09T00:00:00.000Z",
    "the day of the month or that of the week",
  );
  assert.equal(after("@daily", "Europe/Berlin", "2026-03-07T10:02:30Z"), "2026-03-07T23:00:00.000Z");
  assert.equal(after("CRON_TZ=Asia/Tokyo 30 6 * * *", "UTC", "2026-03-07T10:02:30Z"), "2026-03-07T21:30:00.000Z");
  assert.equal(after("0 12 ? * 1-5", "UTC", "2026-03-07T10:02:30Z"), "2026-03-09T12:00:00.000Z");
  assert.equal(after("@every 90s", "UTC", "2026-03-07T10:02:30Z"), "2026-03-07T10:04:00.000Z");
  assert.equal(after("0 0 30 2 *", "UTC", "2026-03-07T10:02:30Z"), undefined);
  assert.throws(() => readSchedule("every day", "UTC"));
});

test("the last missed time is found, however long it is ago", () => {
  const minutes = readSchedule("*/5 * * * *", "UTC"), yearly = readSchedule("@yearly", "UTC"), now = at("2026-03-01T00:07:00Z");
  assert.equal(lastDue(minutes, at("2020-01-01T00:00:00Z"), now)?.at, at("2026-03-01T00:05:00Z"));
  assert.equal(lastDue(yearly, at("2020-06-01T00:00:00Z"), now)?.at, at("2026-01-01T00:00:00Z"));
  assert.equal(lastDue(minutes, at("2026-03-01T00:05:00Z"), now), undefined);
  assert.deepEqual(lastDue(minutes, at("2026-02-28T23:50:00Z"), now), { at: at("2026-03-01T00:05:00Z"), missed: 2 });
});
