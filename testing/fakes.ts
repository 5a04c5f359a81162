/** What a controller or start hook gets, for its tests: a context, and an API of which a test gives the methods that it expects. */
import type { Api } from "../core/api.ts";
import { systemClock } from "../core/async.ts";
import { createEachBy } from "../core/client/create-each.ts";
import type { ControllerContext } from "../core/controller.ts";
import { defaultNames } from "../core/names.ts";
import { typedApis } from "../core/typed-api.ts";
import { noWorkMeter } from "../core/work.ts";
import { createRegistry, type MetricDefinition } from "../metrics/mod.ts";

/** Returns an API with these methods. Every other method throws an Error that names it. */
export function fakeApi(methods: Partial<Api>): Api {
  const unused = (name: string) => (): never => {
    throw new Error(`Api.${name} is not expected to be called`);
  };
  const api: Api = {
    of: typedApis(() => api),
    get: unused("get"),
    list: unused("list"),
    create: unused("create"),
    createEach: createEachBy(() => api.create),
    update: unused("update"),
    patch: unused("patch"),
    apply: unused("apply"),
    delete: unused("delete"),
    deleteCollection: unused("deleteCollection"),
    watch: unused("watch"),
    collections: unused("collections"),
    followCollections: unused("followCollections"),
    ...methods,
  };
  return api;
}

/**
 * Returns a complete context with these members. The others are those of a server that serves nothing: `api` throws at every call, no gate
 * is on, no kind is declared or served, nothing is published, no legacy token is issued. Its events, metrics, progress and log are dropped.
 *
 *     await widgetController.run(fakeContext({ api: server.api, logError: (sentence) => logged.push(sentence) }), signal);
 */
export function fakeContext(members: Partial<ControllerContext>): ControllerContext {
  return {
    names: defaultNames,
    api: fakeApi({}),
    clock: systemClock,
    metric: <Definition extends MetricDefinition>(definition: Definition) => createRegistry({ dropped: definition }).record.dropped,
    events: { record() {} },
    gates: () => false,
    isDeclared: () => false,
    types: { versions: () => [], resources: () => [], schemaOf: () => undefined, stored: () => [] },
    work: noWorkMeter,
    logError() {},
    progress: () => ({ done() {}, end() {} }),
    machine: { name: "machine", addresses: () => [] },
    rootCertificates: undefined,
    clientTrust: () => Promise.resolve({ clientCa: "", frontProxyCa: "" }),
    setting({ name }) {
      throw new Error(`The setting "${name}" is not expected to be read`);
    },
    peers: { ask: unasked, addressesOf: unasked, recoded: (body) => body },
    records: { get: async () => undefined, list: async () => [], put: async () => true },
    issueLegacyToken: undefined,
    signCertificate: undefined,
    ...members,
  };
}

function unasked(): never {
  throw new Error("Other servers are not expected to be reached");
}
