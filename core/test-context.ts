/** Fakes for tests of controllers. */
import type { Api } from "./plugin.ts";

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
