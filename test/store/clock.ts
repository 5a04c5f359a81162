export { type ManualClock, manualClock } from "../../core/test-clock.ts";
