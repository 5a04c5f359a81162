/** Options of the subresources that connect clients with containers. They come from the query, and admission sees them. */
import { optionsStruct, plainList } from "../../../toolbox.ts";
import { boolean, field, type Infer, int32, int64, string, time } from "../../../plugin.ts";

const streams = {
  stdin: field(1, boolean, "Whether the client sends the input of the process."),
  stdout: field(2, boolean, "Whether the client gets the output of the process."),
  stderr: field(3, boolean, "Whether the client gets the errors of the process."),
  tty: field(4, boolean, "Whether the process has a terminal."),
  container: field(5, string, "The container. Default: the only one of the pod."),
} as const;

export const PodExecOptions = optionsStruct("PodExecOptions", {
  ...streams,
  command: field(6, plainList(string), "The command and its arguments. No shell interprets it.", { written: "always" }),
}, { package: "core/v1", doc: "Options of a command in a container." });
export type PodExecOptions = Infer<typeof PodExecOptions>;

export const PodAttachOptions = optionsStruct("PodAttachOptions", streams, {
  package: "core/v1",
  doc: "Options of a connection with the main process of a container.",
});
export type PodAttachOptions = Infer<typeof PodAttachOptions>;

export const PodPortForwardOptions = optionsStruct("PodPortForwardOptions", {
  ports: field(1, plainList(int32), "The ports of the pod. Required by websockets."),
}, { package: "core/v1", doc: "Options of a connection with ports of a pod." });
export type PodPortForwardOptions = Infer<typeof PodPortForwardOptions>;

export const PodLogOptions = optionsStruct("PodLogOptions", {
  container: field(1, string, "The container. Default: the only one of the pod."),
  follow: field(2, boolean, "Whether the log goes on with new lines until the client leaves."),
  previous: field(3, boolean, "Whether it is the log of the container that ended before."),
  sinceSeconds: field(4, int64, "Only lines that are not older than so many seconds.", { pointer: true }),
  sinceTime: field(5, time, "Only lines from this time on.", { pointer: true }),
  timestamps: field(6, boolean, "Whether each line begins with its time."),
  tailLines: field(7, int64, "Only so many lines at the end.", { pointer: true }),
  limitBytes: field(8, int64, "At most so many bytes.", { pointer: true }),
  insecureSkipTLSVerifyBackend: field(9, boolean, "Whether the serving certificate of the kubelet is not verified."),
  stream: field(10, string, "Which output of the container: All, Stdout or Stderr.", { pointer: true }),
}, { package: "core/v1", doc: "Options of the log of a container." });
export type PodLogOptions = Infer<typeof PodLogOptions>;
