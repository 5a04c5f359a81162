/** Keeps the condition Dangling of flow schemas: whether their priority level is missing. */
import type { ControllerContext } from "../../plugin.ts";
import { goQuote, timestampOf } from "../../toolbox.ts";
import { dangling } from "./flow-schema.ts";
import type { FlowSchema } from "./flow-schema-schema.ts";
import { groupVersion } from "./schema.ts";

type Condition = NonNullable<FlowSchema["status"]["conditions"]>[number];

/** The condition of a schema if it is to change; else undefined. `now` is in milliseconds since 1970. */
export function changedCondition({ spec, status }: FlowSchema, levels: { has(name: string): boolean }, now: number): Condition | undefined {
  const { name } = spec.priorityLevelConfiguration, isThere = levels.has(name);
  const object = `This FlowSchema references the PriorityLevelConfiguration object named ${goQuote(name)}`;
  const wanted = isThere
    ? { status: "False", reason: "Found", message: `${object} and it exists` }
    : { status: "True", reason: "NotFound", message: `${object} but there is no such object` };
  const present = status.conditions?.find(({ type }) => type === dangling);
  if (present?.status === wanted.status && present.reason === wanted.reason && present.message === wanted.message) return undefined;
  return { type: dangling, lastTransitionTime: timestampOf(now), ...wanted };
}

/** Writes the conditions that are to change. Resolves with whether all were written. */
export async function writeConditions(
  { api, clock, logError }: ControllerContext,
  schemas: Iterable<FlowSchema>,
  levels: { has(name: string): boolean },
): Promise<boolean> {
  let isDone = true;
  await Promise.all([...schemas].map(async (schema) => {
    const condition = changedCondition(schema, levels, clock.now());
    if (condition === undefined) return;
    const { name = "", uid } = schema.metadata;
    try {
      // The UID, because an apply would make a schema that was deleted meanwhile.
      await api.apply(groupVersion, "flowschemas", "", name, { metadata: { uid }, status: { conditions: [condition] } }, {
        subresource: "status",
        force: true,
      });
    } catch (error) {
      if (isOver(error)) return;
      isDone = false;
      logError(`the condition of FlowSchema ${name} cannot be written; it tries again`, error);
    }
  }));
  return isDone;
}

/** Whether the schema was deleted or made again. The watch reports that. */
function isOver(error: unknown): boolean {
  return error instanceof Error && "reason" in error && (error.reason === "NotFound" || error.reason === "Conflict");
}
