/** The folders of the sources of the server and its package, from those that know least to those that know most. */
export const sourceFolders: readonly string[] = [
  "metrics",
  "health",
  "core",
  "cel",
  "protocols",
  "client",
  "kernel",
  "server",
  "commands",
  "plugins",
  "testing",
];
