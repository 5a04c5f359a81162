import { Age, type Cell } from "./meta/columns.ts";

/** What a response shows of a cell at `now`, in milliseconds since 1970. */
export function cellAt(cell: Cell, now: number): Exclude<Cell, Age> {
  return cell instanceof Age ? cell.at(now) : cell;
}
