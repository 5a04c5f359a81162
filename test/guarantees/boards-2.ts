/** For `--plugins`: boards with the field. */
import { boardsPlugin } from "./boards.ts";

export const boards = boardsPlugin(true);
