/** Operations on recordings of requests. */
import type { RequestMatch, RequestVerb } from "../../faults/rule.ts";
import { bound } from "../../../core/bound.ts";
import { checkedLater, operation } from "../operation.ts";
import { anyText, anything, identity, integer, listOf, nothing, object, text, whole } from "../schemas.ts";

/** Bytes of a recording that is replayed. */
const recordingBytesMax = bound(64 * 1024 * 1024);

const recorded = object({
  time: anyText("The time of the server, in RFC 3339."),
  user: anyText("The name of the user; empty if it was not authenticated."),
  verb: anyText("`get`, `list`, `create` and so on; the method in lower case for a path without a resource."),
  method: anyText("The method of HTTP."),
  url: anyText("Path and query."),
  groups: listOf(anyText("A group."), "The groups of the user. Absent if it was not authenticated."),
  type: anyText("The media type of the body. Absent without one, and for JSON."),
  accept: anyText("The encodings that the client accepts. Absent for JSON."),
  body: anything("The body as a value; as text with its length if it is neither JSON nor YAML. Absent without one."),
  status: integer("The code of the answer; 0 if the connection was dropped."),
  answer: anything("The body of the answer in the same form. Of a watch: its events so far. Absent without one."),
}, ["time", "user", "verb", "method", "url", "status"]);

const place = { request: integer("The number of the request, from 1 on."), title: anyText("Its user, method and URL.") };

/** Recordings. */
export const recordingOperations = [
  operation({
    name: "record",
    method: "POST",
    path: "recordings",
    summary: "Begins a recording of the requests, with their answers and without secrets.",
    code: 201,
    answer: identity,
    run({ server, recordings }) {
      recordings.checkRoom();
      return { id: recordings.add(server.record()) };
    },
  }),
  operation({
    name: "listRequests",
    method: "GET",
    path: "recordings/{id}/requests",
    summary: "Lists the requests that match, in the order in which they arrived.",
    query: {
      user: text("The name of the user."),
      verb: text("One verb, or several with commas between them."),
      resource: text("`widgets`, `widgets.example.com`, `widgets/status`, or `widgets/*`."),
      namespace: text("The namespace in the path."),
      name: text("The name in the path."),
    },
    answer: whole({ requests: listOf(recorded, "The requests.") }),
    run({ recordings }, { id, query: { verb, ...rest } }) {
      // Another word than a verb matches no request.
      const match: RequestMatch = { ...rest, ...(verb === undefined ? {} : { verb: verb.split(",") as RequestVerb[] }) };
      return { requests: recordings.get(id).requests(match) };
    },
  }),
  operation({
    name: "readRecording",
    method: "GET",
    path: "recordings/{id}",
    summary: "Returns all requests as text: a YAML document for each.",
    answer: "yaml",
    run: ({ recordings }, { id }) => recordings.get(id).text(),
  }),
  operation({
    name: "endRecording",
    method: "DELETE",
    path: "recordings/{id}",
    summary: "Ends a recording, and forgets its requests.",
    answer: nothing,
    run({ recordings }, { id }) {
      recordings.take(id).stop();
      return {};
    },
  }),
  operation<{ readonly recording: string }>({
    name: "replay",
    method: "POST",
    path: "replay",
    summary:
      "Sends the requests of a recording again, as their users, and says where answers differ. A body of the type `application/yaml` is the recording.",
    body: object({ recording: { type: "string", description: "The text of a recording." } }, ["recording"]),
    bodyBytesMax: recordingBytesMax,
    yamlMember: "recording",
    answer: whole({
      sent: integer("Requests that were sent."),
      skipped: listOf(whole({ ...place, why: anyText("What the recording lacks.") }), "Requests that were not sent."),
      differences: listOf(
        object({
          ...place,
          place: anyText("The place of the value in the answer."),
          recorded: anything("The recorded value."),
          replayed: anything("The value now."),
        }, ["request", "title", "place"]),
        "Where answers differ.",
      ),
      text: anyText("All of it for people."),
    }),
    async run({ server }, { body: { recording } }) {
      const { sent, skipped, differences, text } = await checkedLater("recording", () => server.replay(recording));
      return { sent, skipped, differences, text: text() };
    },
  }),
];
