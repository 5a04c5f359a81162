import { bound } from "../../core/bound.ts";

/** Addresses that a cell of a table shows before the number of the others. */
export const shownAddressesMax = 3;
/** Endpoints of one EndpointSlice. */
export const sliceEndpointsMax = bound(1_000);
/** Addresses of one endpoint of an EndpointSlice. */
export const endpointAddressesMax = bound(100);
/** Ports of one EndpointSlice. */
export const slicePortsMax = bound(20_000);
/** Labels about the place of one endpoint of an EndpointSlice. */
export const topologyLabelsMax = bound(16);
/** Zones, and nodes, in the hints of one endpoint. */
export const endpointHintsMax = bound(8);
/** Attempts to take a free address that other servers take at the same time. */
export const addressTriesMax = bound(32);
/** Attempts to write the record of ports on nodes while other servers write it. */
export const portTriesMax = bound(50);
