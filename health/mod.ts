export { ping, sharedCheck, type Switch, switchCheck } from "./checks.ts";
export { type Check, type Checks, type Endpoint, type Report, report, reportOne, type ReportOptions } from "./health.ts";
export { flushEveryMs, graceful, logCheck, type StartUp, startUp } from "./start-up.ts";
