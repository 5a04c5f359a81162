/** The status page as HTML. Every text is escaped: names of kinds come from clients. */
import type { GateState } from "../../core/released/gates.ts";
import type { RecentError } from "../log/recent-errors.ts";
import type { ControllerState, KindState, ServerState } from "./state.ts";
import { style } from "./style.ts";
import { logTextLengthMax } from "../../core/bounds.ts";

export interface PageContent {
  readonly version: string;
  readonly store: string;
  readonly state: ServerState;
  /** The checks of /readyz that fail. The reason is absent if the reader has no right to it. */
  readonly failing: readonly { readonly name: string; readonly reason?: string }[];
  readonly plugins: readonly { readonly name: string; readonly summary: string }[];
  readonly gates: readonly GateState[];
  readonly errors: readonly RecentError[];
  /** The time of the page, in milliseconds since the epoch. */
  readonly now: number;
  /** Seconds after which a browser loads it again; 0: never. */
  readonly refresh: number;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

/** A document of the server, whose only style is its own. */
export function documentText(title: string, body: string, head = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** Returns the HTML of the whole page. */
export function pageText(content: PageContent): string {
  const { version, store, state, failing, plugins, gates, errors, refresh } = content;
  return documentText(
    `${failing.length > 0 ? "Not ready" : "Ready"} · Thole`,
    `<header>
<h1>Thole</h1>
<span>${failing.length > 0 ? '<b class="bad">not ready</b>' : '<b class="good">ready</b>'}</span>
<span class="soft">${escaped(version)}</span>
<span class="soft">${new Date(content.now).toISOString().slice(0, 19).replace("T", " ")} UTC · ${
      refresh > 0 ? `loads again every ${refresh} s, <a href="/?refresh=0">stop</a>` : '<a href="/">load again every 5 s</a>'
    }</span>
</header>
<main>
${causes(failing)}${figures(state, store)}
${requests(state)}
${storeTable(state, store)}
${kinds(state)}
${controllers(state)}
${recent(errors)}
<h2>Plugins</h2>
${words(plugins.map(({ name, summary }) => `<li title="${escaped(summary)}">${escaped(name)}</li>`))}
<h2>Feature gates</h2>
${
      words(gates.map(({ name, stage, on }) =>
        `<li>${escaped(name)} <span class="soft">${escaped(stage)}</span> <b class="${on ? "good" : "soft"}">${on ? "on" : "off"}</b></li>`
      ))
    }
<h2>More</h2>
${
      words(["/readyz?verbose", "/livez?verbose", "/metrics", "/version", "/apis", "/openapi/v3"].map((path) =>
        `<li><a href="${path}">${path}</a></li>`
      ))
    }
</main>`,
    refresh > 0 ? `<meta http-equiv="refresh" content="${refresh}">\n` : "",
  );
}

/** Why the server is not ready. Reasons may be what a client has sent, such as the name of a definition. */
function causes(failing: PageContent["failing"]): string {
  if (failing.length === 0) return "";
  const rows = failing.map(({ name, reason }) => [
    `<b class="bad">${escaped(name)}</b>`,
    reason === undefined
      ? `<span class="soft">the reason needs the right to get /readyz/${escaped(name)}</span>`
      : escaped(reason.slice(0, logTextLengthMax)),
  ]);
  return `<h2>Not ready because of</h2>\n${table("The checks of /readyz that fail", ["check", "cause"], rows)}\n`;
}

const words = (items: readonly string[]) => `<ul class="words">${items.join("\n")}</ul>`;

function figures(state: ServerState, store: string): string {
  const { period } = state;
  const rows: readonly (readonly [string, string])[] = [
    ["requests per second", rateText(state.perSecond)],
    ["half of them within", secondsText(state.median)],
    ["99 of 100 within", secondsText(state.p99)],
    ["running", String(state.inFlight)],
    ["open watches", String(state.watches)],
    ["stored objects", countText(state.kinds.reduce((sum, { objects }) => sum + (objects ?? 0), 0))],
    [`store (${store})`, bytesText(state.storeBytes)],
    ["memory", bytesText(state.residentBytes)],
    ["up for", durationText(state.uptimeSeconds)],
    ...(state.workers === undefined ? [] : [["workers", `${state.workers.ready} of ${state.workers.configured}`] as const]),
  ];
  return `<dl>${rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join("\n")}</dl>
<p class="soft">Rates and times ${period === undefined ? "since the start" : `of the last ${Math.round(period)} s`}, without watches.</p>`;
}

function table(caption: string, heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cell = (tag: string) => (value: string | number, index: number) =>
    `<${tag}${typeof value === "number" || index > 0 && /^[\d\u2013]/.test(value) ? ' class="number"' : ""}>${value}</${tag}>`;
  const numbers = heads.map((_, index) =>
    rows.length > 0 && rows.every((row) => typeof row[index] === "number" || /^[\d\u2013]/.test(String(row[index])))
  );
  const head = heads.map((text, index) => `<th scope="col"${numbers[index] === true && index > 0 ? ' class="number"' : ""}>${text}</th>`);
  return `<div class="wide"><table><caption>${caption}</caption><thead><tr>${head.join("")}</tr></thead><tbody>
${rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`).join("\n")}
</tbody></table></div>`;
}

function requests({ verbs }: ServerState): string {
  const rows = verbs.map(({ verb, perSecond, median, p99, total, failed }) => [
    escaped(verb),
    rateText(perSecond),
    secondsText(median),
    secondsText(p99),
    countText(total),
    countText(failed),
  ]);
  return `<h2>Requests</h2>\n${
    table("Requests by verb", ["verb", "per second", "median", "p99", "since the start", "failed (5xx)"], rows)
  }`;
}

function storeTable({ store: operations }: ServerState, store: string): string {
  const rows = operations.map(({ operation, perSecond, median, p99, total, failed }) => [
    escaped(operation),
    rateText(perSecond),
    secondsText(median),
    secondsText(p99),
    countText(total),
    countText(failed),
  ]);
  return `<h2>Store <span class="soft">${escaped(store)}</span></h2>\n${
    table("Requests to the store by operation", ["operation", "per second", "median", "p99", "since the start", "failed"], rows)
  }`;
}

function kinds({ kinds: all, kindsMore }: ServerState): string {
  const rows = all.map((kind) => [
    `<a href="${escaped(pathOf(kind))}">${escaped(kind.kind)}</a>`,
    kind.group === "" ? '<span class="soft">core</span>' : escaped(kind.group),
    escaped(kind.version),
    kind.namespaced ? "namespace" : "cluster",
    kind.objects === undefined ? "–" : countText(kind.objects),
    countText(kind.watches),
  ]);
  const more = kindsMore === 0 ? "" : `\n<p class="soft">and ${kindsMore} more kinds</p>`;
  return `<h2>Kinds</h2>\n${
    table("Kinds and their objects", ["kind", "group", "preferred version", "scope", "objects", "watches"], rows)
  }${more}`;
}

function pathOf({ group, version, plural }: KindState): string {
  return group === "" ? `/api/${version}/${plural}?limit=50` : `/apis/${group}/${version}/${plural}?limit=50`;
}

/** What a controller does, as shown, and the class of the text. */
const doings: Readonly<Record<ControllerState["doing"], readonly [text: string, tone: "good" | "bad" | "soft"]>> = {
  starting: ["starting", "soft"],
  running: ["running", "good"],
  waiting: ["waits: another server leads", "soft"],
  failed: ["failed, starts again", "bad"],
  unserved: ["needs a resource that is not served", "soft"],
  off: ["its feature gate is off", "soft"],
};

function controllers({ controllers: all, leads }: ServerState): string {
  if (all.length === 0) return "";
  const rows = all.map(({ name, doing, failures, queue }) => {
    const [text, tone] = doings[doing];
    const counts = queue === undefined ? ["–", "–", "–"] : [queue.depth, queue.added, queue.retries].map(countText);
    return [escaped(name), `<span class="${tone}">${text}</span>`, countText(failures), ...counts];
  });
  const where = leads === undefined ? "" : leads ? "They run in this server." : "They run in another server.";
  return `<h2>Controllers <span class="soft">${where}</span></h2>\n${
    table("Controllers and their work queues", ["controller", "state", "failures", "queue: waiting", "added", "retried"], rows)
  }`;
}

function recent(errors: readonly RecentError[]): string {
  if (errors.length === 0) return '<h2>Recent errors</h2>\n<p class="soft">None in the log of this server.</p>';
  const rows = errors.map(({ at, module, message, todo }) => [
    new Date(at).toISOString().slice(0, 19).replace("T", " "),
    escaped(module === "" ? "server" : module),
    `${escaped(message)}${todo === undefined ? "" : `<br><span class="soft">${escaped(todo)}</span>`}`,
  ]);
  return `<h2>Recent errors</h2>\n${table("The last errors of the log", ["time (UTC)", "part", "error"], rows)}`;
}

const countText = (count: number) => count.toLocaleString("en-US", { maximumFractionDigits: 0 });
const rateText = (rate: number) => rate >= 10 ? countText(rate) : rate.toFixed(rate === 0 ? 0 : 1);

function secondsText(seconds: number | undefined): string {
  if (seconds === undefined) return "–";
  return seconds >= 1 ? `${seconds.toFixed(1)} s` : `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
}

function bytesText(bytes: number | undefined): string {
  if (bytes === undefined) return "–";
  const mebibytes = bytes / 2 ** 20;
  return mebibytes >= 1024 ? `${(mebibytes / 1024).toFixed(1)} GiB` : `${mebibytes.toFixed(mebibytes < 10 ? 1 : 0)} MiB`;
}

function durationText(seconds: number | undefined): string {
  if (seconds === undefined) return "–";
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
