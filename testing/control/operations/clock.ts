/** Operations on the time of a server. */
import { StatusError } from "../../../core/status-error.ts";
import { unmovedClock } from "../../clock.ts";
import { millisecondsOf } from "../../milliseconds.ts";
import type { TestServer } from "../../server.ts";
import { checked, invalidRequest, operation, when } from "../operation.ts";
import { anyText, duration, integer, object, whole } from "../schemas.ts";

/** Milliseconds of one advance: ten years. */
const advanceMsMax = 10 * 366 * 86_400_000;

const time = whole({
  now: anyText("The time of the server, in RFC 3339."),
  milliseconds: integer("The same, in milliseconds since 1970."),
  manual: { type: "boolean", description: "Whether it stands still until it is advanced." },
});
const timeOf = ({ clock }: TestServer) => {
  const now = Math.floor(clock.now());
  return { now: new Date(now).toISOString(), milliseconds: now, manual: clock !== unmovedClock };
};

/** The clock. */
export const clockOperations = [
  operation({
    name: "readClock",
    method: "GET",
    path: "clock",
    summary: "Returns the time of the server.",
    answer: time,
    run: ({ server }) => timeOf(server),
  }),
  operation<{ readonly by: string }>({
    name: "advanceClock",
    method: "POST",
    path: "clock/advance",
    summary: "Advances the time of a server with a manual clock. Answers when the work that was due until then is done.",
    body: object({ by: duration("How far.") }, ["by"]),
    answer: time,
    async run({ server }, { body: { by } }) {
      const ms = checked("by", () => millisecondsOf(by), by);
      const errors = when(ms > advanceMsMax, { type: "Invalid", path: "by", value: by, detail: "must be at most ten years" });
      if (errors.length > 0) throw invalidRequest(errors);
      if (server.clock === unmovedClock) {
        throw new StatusError("Conflict", 'this server follows the clock of the machine: fork it with {"clock":"manual"}');
      }
      await server.clock.advance(ms);
      return timeOf(server);
    },
  }),
];
