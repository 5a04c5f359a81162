export { type Impersonate, impersonateBy, type Impersonation } from "./impersonate.ts";
