/** Fakes for tests of hooks. */
import { systemClock } from "./async.ts";
import type { Access, AdmissionServer, Reader } from "./access.ts";
import type { Allocation } from "./allocation.ts";
import { ExpressionWork } from "./admission/expression-work.ts";
import type { HookContext, RequestHookContext } from "./hook-context.ts";
import { struct } from "./schema.ts";

/** The `metric` of contexts for code that records no metrics. */
export const noMetric: HookContext["metric"] = ({ name }) => {
  throw new Error(`The metric "${name}" is not expected to be recorded`);
};

/** Returns the context of a hook that may read: `context` with a caller, a reader and access checks. Members that are not given throw. */
export function fakeRequestContext(
  context: HookContext,
  {
    caller = { name: "alice", groups: [] },
    access = {},
    read = {},
    warn = () => {},
    annotate = () => {},
    resource = { group: "", plural: "" },
    isDryRun = false,
    configuration,
    server = {},
    allocation = {},
  }: {
    readonly caller?: RequestHookContext["caller"];
    readonly access?: Partial<Access>;
    readonly read?: Partial<Reader>;
    readonly warn?: RequestHookContext["warn"];
    readonly annotate?: RequestHookContext["annotate"];
    readonly resource?: RequestHookContext["resource"];
    readonly isDryRun?: boolean;
    readonly configuration?: unknown;
    readonly server?: Partial<AdmissionServer>;
    readonly allocation?: Partial<Allocation>;
  } = {},
): RequestHookContext {
  const unused = (name: string) => (): never => {
    throw new Error(`${name} is not expected to be called`);
  };
  return {
    ...context,
    caller,
    warn,
    annotate,
    requestName: "",
    release: "1.35",
    resource,
    request: {
      isAction: false,
      action: "CREATE",
      namespace: "",
      form: {
        group: resource.group,
        version: "v1",
        resource: resource.plural,
        kind: { group: resource.group, version: "v1", kind: "" },
        schema: struct("Unused", {}, { package: "" }),
        text: unused("AdmissionForm.text"),
        json: unused("AdmissionForm.json"),
        parse: unused("AdmissionForm.parse"),
      },
      forms: unused("AdmissionRequest.forms"),
      bounded: (work) => work(),
      expressions: new ExpressionWork(),
      options: unused("AdmissionRequest.options"),
    },
    reinvocation: { isSecondRun: false, request: unused("Reinvocation.request"), stateOf: (_key, make) => make() },
    isDryRun,
    configuration: () => configuration,
    ifNotStored: () => {},
    ifStored: () => {},
    allocation: {
      get api(): never {
        throw new Error("Allocation.api is not expected to be used");
      },
      setting: unused("Allocation.setting"),
      records: { get: unused("Records.get"), list: unused("Records.list"), put: unused("Records.put") },
      ...allocation,
    },
    server: {
      clock: systemClock,
      recent: unused("AdmissionServer.recent"),
      derived: unused("AdmissionServer.derived"),
      recentObject: unused("AdmissionServer.recentObject"),
      resourceOfKind: unused("AdmissionServer.resourceOfKind"),
      json: unused("AdmissionServer.json"),
      newest: unused("AdmissionServer.newest"),
      updateStatus: unused("AdmissionServer.updateStatus"),
      callWebhook: unused("AdmissionServer.callWebhook"),
      stateOf: unused("AdmissionServer.stateOf"),
      failed: unused("AdmissionServer.failed"),
      ...server,
    },
    access: {
      authorize: unused("Access.authorize"),
      rules: unused("Access.rules"),
      authenticateToken: unused("Access.authenticateToken"),
      issueToken: unused("Access.issueToken"),
      ...access,
    },
    read: { get: unused("Reader.get"), list: unused("Reader.list"), ...read },
  };
}
