/** For `--plugins`: boards without the field. */
import { boardsPlugin } from "./boards.ts";

export const boards = boardsPlugin(false);
