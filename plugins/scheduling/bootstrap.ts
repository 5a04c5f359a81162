import { type StartHook, StatusError } from "../../plugin.ts";
import { spell } from "../../toolbox.ts";
import { systemClasses } from "./system-classes.ts";

/** Creates the classes of the system if they are absent. As kube-apiserver's post-start hook of this name. */
export const bootstrapSystemClasses: StartHook = Object.freeze<StartHook>({
  name: "scheduling/bootstrap-system-priority-classes",
  fieldManager: "kube-apiserver",
  async run({ api, names }) {
    const home = spell(names, "scheduling.{domain}/v1");
    // --runtime-config can leave the kind out.
    if (!api.collections("create").some((each) => each.groupVersion === home && each.resource === "priorityclasses")) return;
    const { items } = await api.list("scheduling.{domain}/v1", "priorityclasses", "");
    const missing = systemClasses.filter(({ name }) => !items.some(({ metadata }) => metadata.name === name));
    await Promise.all(missing.map(async ({ name, ...rest }) => {
      try {
        await api.create("scheduling.{domain}/v1", "priorityclasses", "", { metadata: { name }, ...rest });
      } catch (error) {
        // Another server does the same.
        if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
      }
    }));
  },
});
