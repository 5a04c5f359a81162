// Loaded before Node's test runner, which then finds the test of a call in the asynchronous context, and not by hooks.
//
// The runner wants to know in which test `test()` is called, and whose error is thrown. For that it follows each promise from its creation to its end with
// hooks of node:async_hooks: up to half of the CPU of code with many promises. An AsyncLocalStorage knows the same, because V8 passes its value on.
import { createRequire } from "node:module";

// The object from which the modules of the runner take the functions when they are loaded.
const hooks = createRequire(import.meta.url)("node:async_hooks");
const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = hooks;
/** The asynchronous id of the test. */
const current = new AsyncLocalStorage();
/** The runner's function that notes a test by its asynchronous id. */
let note;

/** What the runner's class of tests extends. */
class TestResource extends AsyncResource {
  constructor(type, options) {
    super(type, options);
    note?.(this.asyncId(), type, this.triggerAsyncId(), this);
  }

  runInAsyncScope(run, of, ...values) {
    return super.runInAsyncScope(() => current.run(this.asyncId(), () => Reflect.apply(run, of, values)));
  }
}

Object.assign(hooks, {
  AsyncResource: TestResource,
  executionAsyncId: () => current.getStore() ?? executionAsyncId(),
  createHook({ init }) {
    note = init;
    return { enable: () => {}, disable: () => {} };
  },
});
await import("node:test");
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId });
