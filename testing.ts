/**
 * `thole/testing`: a server in the test process, in memory and without a socket.
 *
 *     import { openTestServer } from "thole/testing";
 *
 *     await using server = await openTestServer({ plugins: [widgets] });
 *     const response = await server.handle(new Request("https://test/apis/example.com/v1/widgets"));
 */
export type { TestClock } from "./testing/clock.ts";
export type { EventOrder, HeldEvent, HeldWatches } from "./testing/faults/held-events.ts";
export type { FaultAnswer, FaultEffect, FaultRule, RequestMatch, RequestVerb, WatchEnd } from "./testing/faults/rule.ts";
export type { StoreFault, StoreRule } from "./testing/faults/store-faults.ts";
export type { Chaos, FaultHandle, InjectedFault, ServerFaults } from "./testing/faults/server-faults.ts";
export type { Json } from "./core/json.ts";
export type { RecordedRequest } from "./testing/recording/recorded-request.ts";
export type { Replayable } from "./testing/recording/replay-of.ts";
export type { ReplayDifference, ReplayReport } from "./testing/recording/replay.ts";
export type { ValueDifference } from "./testing/recording/correspondence.ts";
export type { Recording } from "./testing/recording/recorder.ts";
export { fakeApi, fakeContext } from "./testing/fakes.ts";
export { checkRoundTrips, type RoundTripOptions, type RoundTripReport } from "./testing/check-round-trips.ts";
export { ConnectionDropped } from "./testing/exchange.ts";
export type { TestListener } from "./testing/listeners.ts";
export { type ForkOptions, openTestServer, type TestServer, type TestServerOptions, type UserInfo } from "./testing/server.ts";
export type { RestoreOptions } from "./testing/running-server.ts";
export type { Snapshot } from "./testing/state/snapshot.ts";
export { expectState, type ExpectStateOptions, StateError } from "./testing/expect-state.ts";
export type { DumpOptions } from "./testing/state/dump.ts";
export type { EarlierApi, ObjectVersion } from "./testing/state/history.ts";
export type { StateFilter } from "./testing/state/state-objects.ts";
export type { Unsteady } from "./testing/state/steady-form.ts";
export { LoadError, type LoadProblem } from "./testing/state/load.ts";
export type { Loadable, Manifest, ServerState } from "./testing/state/server-state.ts";
