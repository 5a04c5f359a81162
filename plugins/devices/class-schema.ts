/** The schema of DeviceClass. */
import { field, type Infer, list, object, string } from "../../plugin.ts";
import { type DeviceVersion, partsOf } from "./parts-schema.ts";

export function deviceClassOf(version: DeviceVersion) {
  const { struct, DeviceSelector, DeviceConfiguration } = partsOf(version);

  const DeviceClassConfiguration = struct("DeviceClassConfiguration", {
    DeviceConfiguration: field(1, DeviceConfiguration, "The configuration.", { inline: true }),
  }, { doc: "A configuration that is passed to the drivers of the devices of the class." });

  const DeviceClassSpec = struct("DeviceClassSpec", {
    selectors: field(1, list(DeviceSelector), "What a device must satisfy to belong to the class."),
    config: field(2, list(DeviceClassConfiguration), "Configurations of all devices that are allocated by the class."),
    extendedResourceName: field(
      4,
      string,
      "The extended resource that pods can request in place of a claim, such as `example.com/gpu`.",
      { pointer: true },
    ),
  }, { doc: "Which devices belong to a class, and how they are configured." });

  return object("DeviceClass", {
    spec: field(2, DeviceClassSpec, "Which devices belong to the class, and how they are configured.", { required: true }),
  }, { package: `resource/${version}`, doc: "A class of devices that an administrator defines. Claims request devices by class." });
}

export type DeviceClass = Infer<ReturnType<typeof deviceClassOf>>;
