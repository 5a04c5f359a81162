/** Fakes for tests of hooks and controllers. */
import { defaultNames } from "./names.ts";
import type { Api, ControllerContext, HookContext } from "./plugin.ts";

/** An API with these methods; all others throw. */
export function fakeApi(methods: Partial<Api>): Api {
  const unused = (name: string) => (): never => {
    throw new Error(`Api.${name} is not expected to be called`);
  };
  return {
    get: unused("get"),
    list: unused("list"),
    create: unused("create"),
    update: unused("update"),
    patch: unused("patch"),
    apply: unused("apply"),
    delete: unused("delete"),
    deleteCollection: unused("deleteCollection"),
    watch: unused("watch"),
    collections: unused("collections"),
    ...methods,
  };
}

/** For contexts of code that records no metrics. */
export const noMetric: HookContext["metric"] = ({ name }) => {
  throw new Error(`The metric "${name}" is not expected to be recorded`);
};

/** A controller's context with these members. */
export function fakeContext(members: Partial<ControllerContext>): ControllerContext {
  return { names: defaultNames, api: fakeApi({}), metric: noMetric, events: { record() {} }, ...members };
}
