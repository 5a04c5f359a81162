/** The lines of `thole dev`: requests in columns, log lines without their technical head. */
import { stripVTControlCharacters } from "node:util";
import { valueText } from "../core/value-text.ts";
import { stackField } from "../kernel/observe/log.ts";

type Tone = "good" | "bad" | "warn" | "soft";
/** Adds colour to a text. */
export type Paint = (tone: Tone, text: string) => string;

const codes: Readonly<Record<Tone, number>> = { good: 32, warn: 33, bad: 31, soft: 90 };

/** Returns a painter with the colours of a terminal, or one that leaves texts as they are. */
export function painter(hasColour: boolean): Paint {
  return (tone, text) => hasColour ? `\x1b[${codes[tone]}m${text}\x1b[0m` : text;
}

const methods: Readonly<Record<string, string>> = { create: "POST", update: "PUT", patch: "PATCH", apply: "APPLY", delete: "DELETE" };

/** Returns a JSON line of the server's log as `thole dev` shows it, with further lines for a stack trace. Other lines are returned as they are. */
export function shownLine(line: string, paint: Paint): string {
  const fields = fieldsOf(line);
  if (fields === undefined) return withoutControls(line);
  const { time, level, v: _, logger, message, [stackField]: stack, ...more } = fields;
  const clock = paint("soft", typeof time === "string" ? time.slice(11, 23) : "");
  if (logger === "httplog") return `${clock} ${requestText(more, paint)}`;
  const pairs = Object.entries(more).map(([key, value]) => `${key}=${typeof value === "string" ? value : valueText(value)}`);
  const text = withoutControls(String(message));
  const calls = typeof stack === "string" ? stack.split("\n").map((each) => `\n  ${paint("soft", withoutControls(each))}`) : [];
  return `${clock} ${level === "error" ? paint("bad", text) : text}${
    pairs.length === 0 ? "" : ` ${paint("soft", withoutControls(pairs.join(" ")))}`
  }${calls.join("")}`;
}

/** Lines of a start that are remembered. */
const startLinesMax = 100;

/**
 * Returns a function that is called with each line of the log before a server is ready. It returns false for a line that an earlier start has
 * logged, except errors.
 */
export function linesOfStarts(): (line: string) => boolean {
  const known = new Set<string>();
  return (line) => {
    const { time: _, ...more } = fieldsOf(line) ?? {};
    if (more["level"] !== "info") return true;
    const text = valueText(more);
    if (known.has(text)) return false;
    if (known.size < startLinesMax) known.add(text);
    return true;
  };
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" && value !== null && "message" in value ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a line such as `GET    200    1.2ms /api/v1/namespaces kubectl/v1.35.0`. The values come from clients. */
function requestText(fields: Readonly<Record<string, unknown>>, paint: Paint): string {
  const { verb, resp, latency, URI, userAgent } = fields;
  const code = Number(resp);
  const tone = code >= 500 ? "bad" : code >= 400 ? "warn" : "good";
  const verbText = String(verb);
  const method = methods[verbText.toLowerCase()] ?? verbText.toUpperCase();
  const agent = typeof userAgent === "string" ? ` ${paint("soft", withoutControls(userAgent.split(" ")[0]!))}` : "";
  return `${withoutControls(method).padEnd(6)} ${paint(tone, String(code))} ${String(latency).padStart(9)} ${
    withoutControls(String(URI))
  }${agent}`;
}

/** Returns the text without control characters, which could change the terminal. */
function withoutControls(text: string): string {
  // deno-lint-ignore no-control-regex
  return stripVTControlCharacters(text).replaceAll(/[\x00-\x1f\x7f-\x9f]/g, "?");
}
