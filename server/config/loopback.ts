/** Whether a host is this machine, by its address or as `localhost`. Other names are not resolved. IPv6 may be in brackets, as in URLs. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
