/** The settings of the end of a server, and their values. */
import { bool, duration, fixed, live } from "./setting.ts";

export interface ShutdownConfig {
  readonly "shutdown-send-retry-after": boolean;
  readonly "shutdown-watch-termination-grace-period": number;
  readonly "shutdown-delay-duration": number;
  readonly "exit-on-stdin-close": boolean;
}

export const shutdownSettings = Object.freeze({
  "shutdown-send-retry-after": live(
    bool(
      false,
      "During shutdown, reject new requests with 429 and Retry-After while running requests finish, for at most 10s. " +
        "/livez, /readyz, /healthz and /metrics are still served.",
    ),
  ),
  "shutdown-watch-termination-grace-period": live(
    duration(0, "Period over which watches are closed during shutdown; 0 closes all at once."),
  ),
  "shutdown-delay-duration": live(duration(0, "Time to continue serving after /readyz reports shutdown; 0 stops at once.")),
  "exit-on-stdin-close": fixed(
    "the standard input is followed from the start",
    bool(
      false,
      "End as after SIGTERM when the standard input closes. A program that starts the server with a pipe as its standard input does not leave " +
        "it behind, even if that program is killed. With /dev/null as standard input the server ends at once. In the library it has no effect.",
    ),
  ),
});
