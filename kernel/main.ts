/** The old place of `server/main.ts`, for scripts that start it by its path. Release 0.2.0 is the last one that has it. */
import "../server/main.ts";
