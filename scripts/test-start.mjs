// Loaded by Node before the tests. Its runner follows every promise, so that an error that nobody awaited is reported with its test: in tests that
// serve requests this is a third of their CPU. Without it such an error fails the file instead of the test.
import hooks from "node:async_hooks";

const { createHook } = hooks;
/** The callbacks of the runner's hook, the first that is made in the process. Others are made as usual. */
hooks.createHook = (callbacks) => {
  hooks.createHook = createHook;
  if (Object.keys(callbacks).toSorted().join() !== "destroy,init") return createHook(callbacks);
  return createHook({});
};
