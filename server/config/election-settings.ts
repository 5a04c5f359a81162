/** The settings of controllers: which run, and where. */
import { bool, duration, fixed, list, live } from "./setting.ts";

export interface ElectionConfig {
  readonly "controllers": readonly string[];
  readonly "leader-elect": boolean;
  readonly "leader-elect-lease-duration": number;
  readonly "leader-elect-renew-deadline": number;
  readonly "leader-elect-retry-period": number;
}

const isElecting = "leader election runs with the values from the start";

export const electionSettings = Object.freeze({
  "controllers": live(list(
    "Controllers to run: names, * for all, -name to leave one out, -* to leave all out, as beside a kube-controller-manager. Empty: all. " +
      "Names may end in -controller.",
  )),
  "leader-elect": fixed(
    isElecting,
    bool(true, "Run the controllers on one server per etcd only, elected by a Lease in kube-system; false runs them on every server."),
  ),
  "leader-elect-lease-duration": fixed(
    isElecting,
    duration(15_000, "Time until other servers may take over a lease that is not renewed; whole seconds, at least 1s."),
  ),
  "leader-elect-renew-deadline": fixed(
    isElecting,
    duration(10_000, "Time that the leader retries a renewal before it stops its controllers; less than --leader-elect-lease-duration."),
  ),
  "leader-elect-retry-period": fixed(
    isElecting,
    duration(2_000, "Time between attempts to acquire or renew the lease; greater than 0."),
  ),
});
