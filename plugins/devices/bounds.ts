/** The bounds of the lists and texts of the family; all are upstream's. */
import { bound } from "../../core/bound.ts";

/** Bytes of the expression of a device selector. */
export const expressionBytesMax = bound(10 * 1024);
/** Bytes of the opaque parameters of a device configuration, and of the data of a device's status. */
export const parametersBytesMax = bound(10 * 1024);
/** Selectors of a device class or a request. */
export const selectorsMax = bound(32);
/** Requests of a device claim; also results of its allocation, and references to requests in one list. */
export const requestsMax = bound(32);
/** Constraints of a device claim. */
export const constraintsMax = bound(32);
/** Configurations of a device class or claim. An allocation has twice as many. */
export const configurationsMax = bound(32);
/** Alternatives of a device request. */
export const alternativesMax = bound(8);
/** Bytes of the name of a pool of devices. */
export const poolNameBytesMax = bound(253);
/** Bytes of the name of a device attribute or capacity, without its domain. */
export const identifierBytesMax = bound(32);
/** Bytes of the domain of a device attribute or capacity. */
export const domainBytesMax = bound(63);
/** Bytes of the value of a device attribute. */
export const attributeBytesMax = bound(64);
/** Consumers that a claim is reserved for. */
export const reservationsMax = bound(256);
/** Conditions of an allocated device, and of a device taint rule. */
export const conditionsMax = bound(8);
/** IP addresses of a network device. */
export const addressesMax = bound(16);
/** Bytes of the interface name of a network device. */
export const interfaceBytesMax = bound(256);
/** Bytes of the hardware address of a network device. */
export const hardwareBytesMax = bound(128);
/** Devices of a resource slice. */
export const devicesMax = bound(128);
/** Devices of a resource slice in which a device has taints or consumes counters. */
export const advancedDevicesMax = bound(64);
/** Attributes and capacities of a device together. */
export const attributesMax = bound(32);
/** Taints of a device. */
export const taintsMax = bound(16);
/** Binding conditions of a device, and binding failure conditions. */
export const bindingConditionsMax = bound(4);
/** Sets of shared counters of a resource slice. */
export const counterSetsMax = bound(8);
/** Counters of a set, and of what a device consumes of a set. */
export const countersMax = bound(32);
/** Counter sets that a device consumes. */
export const consumptionsMax = bound(2);
/** Values of the request policy of a capacity. */
export const policyValuesMax = bound(10);
