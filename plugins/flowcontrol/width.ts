/** How many seats a request takes, as upstream estimates it. Writes take one: their events are sent by the thread whose turns are counted. */
import { seatsMax } from "./bounds.ts";

/** Objects that a list reads for each seat that it takes. */
const objectsPerSeat = 100;

type Query = { first(name: string): string };

/** The width of a list, or of a watch that begins with the present objects. `objects` is undefined if their number is not known. */
export function listWidth(objects: number | undefined, query: Query, most: number): number {
  if (objects === undefined) return 1;
  const limit = Number(query.first("limit")), version = query.first("resourceVersion");
  const page = limit > 0 && limit < objects ? limit : objects;
  // From memory all objects are looked at; from the store, at an exact version, the page twice: its bytes and its objects.
  const isExact = query.first("resourceVersionMatch") === "Exact" || (query.first("continue") !== "" && version === "");
  const selects = query.first("fieldSelector") !== "" || query.first("labelSelector") !== "";
  const read = !isExact ? page : selects ? objects + page : 2 * page;
  return Math.max(Math.min(Math.ceil(read / objectsPerSeat), most, seatsMax), 1);
}

/** Whether a watch begins with the present objects. */
export function sendsObjects(query: Query): boolean {
  const version = query.first("resourceVersion");
  return query.first("sendInitialEvents") === "true" || version === "" || version === "0";
}

/** The most seats that one request of a level may take: 15 percent of them, and no more than a hand has queues. */
export function widestOf(nominal: number, handSize: number | undefined): number {
  return handSize === undefined ? seatsMax : Math.max(1, Math.min(Math.ceil(nominal * 0.15), Math.trunc(nominal / handSize)));
}
