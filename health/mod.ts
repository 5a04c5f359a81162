export { ping, sharedCheck, type Switch, switchCheck } from "./checks.ts";
export { type Check, type Checks, type Endpoint, report, reportOne, type Report, type ReportOptions } from "./health.ts";
