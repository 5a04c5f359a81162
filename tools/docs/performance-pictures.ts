/** The pictures of docs/performance.md, from kept results. `npm run docs` writes them to docs/pictures. */
import type { Kept } from "../bench/kept.ts";
import type { Rate } from "../bench/measured.ts";
import type { MemoryResult } from "../bench/memory.ts";
import type { PeerResult } from "../bench/peer-rows.ts";
import type { WatchPoint, WatchResult } from "../bench/watch-points.ts";
import { short } from "../bench/report.ts";
import { wantedRatios } from "../bench/targets.ts";
import { bar, chartWidth, dot, line, linear, linearTicks, lines, logarithmic, logarithmicTicks, type Scale, svgOf, text } from "./chart.ts";

export interface Picture {
  /** File name without `.svg`. */
  readonly name: string;
  /** One sentence, also the alternative text of pages. */
  readonly alt: string;
  readonly svg: string;
}

/** Pictures of releases without such results do not exist. */
export interface Pictures {
  readonly comparison?: Picture;
  readonly latency: Picture;
  readonly watches?: Picture;
  readonly memory?: Picture;
}

/** File names, in the order of the page. */
export const pictureNames: Readonly<Record<keyof Pictures, string>> = Object.freeze({
  comparison: "cpu-beside-kube-apiserver",
  latency: "latency",
  watches: "latency-of-watches",
  memory: "memory-of-objects",
});

export const runtimeNames = Object.freeze({ deno: "Deno", node: "Node" });
/** Classes of the series: the colour is that of the runtime. */
const runtimeClasses = Object.freeze({ deno: "a", node: "b" }),
  peerClass = "c",
  storeClasses = Object.freeze({ sqlite: "", etcd: " dashed" });
/** Labels that fit beside each other. */
const labelsMax = 11;
/** About the width of a digit of a label. */
const digitWidth = 8;
/** Left edge of what is plotted, right edge, and top, below title and legend. */
const left = 190, right = chartWidth - 70, top = 84;

export function performancePictures({ results, peers = [], watches = [], memory = [] }: Kept): Pictures {
  return {
    ...(peers.length === 0 ? {} : { comparison: comparisonPicture(peers) }),
    latency: latencyPicture(seriesOf(results, peers)),
    ...(watches.length === 0 ? {} : { watches: watchesPicture(watches) }),
    ...(memory.length === 0 ? {} : { memory: memoryPicture(memory) }),
  };
}

/** Deno first. */
export function sortedPeers(peers: readonly PeerResult[]): readonly PeerResult[] {
  return peers.toSorted((a, b) => a.runtime < b.runtime ? -1 : 1);
}

/** Bars of the ratios of CPU, from the line at 1. */
function comparisonPicture(unsorted: readonly PeerResult[]): Picture {
  const peers = sortedPeers(unsorted);
  const names = [...new Set(peers.flatMap(({ rows }) => rows.filter(({ what }) => what === "CPU ms").map(({ name }) => name)))];
  const rowsOf = (name: string) => peers.map(({ rows }) => rows.find((row) => row.name === name));
  const all = names.flatMap((name) => rowsOf(name).filter((row) => row !== undefined));
  const ticks = logarithmicTicks(
    Math.min(0.5, ...all.map(({ lowest }) => lowest)),
    Math.max(2, ...all.flatMap(({ name, highest }) => [highest, wantedRatios[name] ?? 1])),
  );
  const x = logarithmic(ticks[0]!, ticks.at(-1)!, left, right);
  const thickness = 15, step = peers.length * (thickness + 2) + 14, bottom = top + names.length * step;
  const series = peers.map(({ runtime }) => ({ name: `Thole on ${runtimeNames[runtime]}`, classes: runtimeClasses[runtime] }));
  const parts = names.flatMap((name, index) => {
    const y = top + index * step + 7, found = rowsOf(name);
    const bars = found.flatMap((row, at) => {
      if (row === undefined) return [];
      const barY = y + at * (thickness + 2), middle = barY + thickness / 2;
      return [
        bar(x(1), x(row.ratio), barY, thickness, series[at]!.classes),
        line(x(row.lowest), middle, x(row.highest), middle, "range"),
      ];
    });
    const values = found.flatMap((row, at) =>
      row === undefined ? [] : [text(
        Math.max(x(row.highest), x(1)) + 8,
        y + at * (thickness + 2) + thickness / 2 + 5,
        row.ratio < 100 ? row.ratio.toPrecision(2) : short(row.ratio),
        "value",
      )]
    );
    const wanted = wantedRatios[name];
    const height = peers.length * (thickness + 2);
    const target = wanted === undefined ? [] : [line(x(wanted), y - 3, x(wanted), y + height + 1, "target")];
    return [text(left - 12, y + height / 2 + 4, name, "end"), ...bars, ...target, ...values];
  });
  const description = all.length === 0 ? "" : names.map((name) => {
    const found = rowsOf(name);
    const values = peers.flatMap(({ runtime }, at) =>
      found[at] === undefined ? [] : [`${short(found[at].ratio)} on ${runtimeNames[runtime]}`]
    );
    const wanted = wantedRatios[name];
    return `${name}: ${values.join(", ")}${wanted === undefined ? "" : `, target ${wanted}`}`;
  }).join("; ");
  const title = "CPU of a kube-apiserver for a request, as a multiple of Thole's";
  const ranges = peers.map(({ runtime, rows }) => {
    const ratios = rows.filter(({ what }) => what === "CPU ms").map(({ ratio }) => ratio);
    return `${short(Math.min(...ratios))} to ${short(Math.max(...ratios))} times Thole's on ${runtimeNames[runtime]}`;
  });
  return {
    name: pictureNames.comparison,
    alt: `Bars by scenario: the CPU of a kube-apiserver for a request is ${ranges.join(", and ")}`,
    svg: svgOf({
      title,
      description: `${description}.`,
      height: bottom + 62,
      parts: [
        text(16, 28, title, "head"),
        ...legend(series.map((each) => ({ ...each, mark: "bar" as const })), [
          { name: "target", classes: "target", mark: "tick" as const },
          { name: "lowest to highest round", classes: "range", mark: "line" as const },
        ]),
        ...axisX(x, ticks, top, bottom, (tick) => `${tick}`),
        ...parts,
        line(x(1), top - 4, x(1), bottom, "axis"),
        text(x(1), bottom + 40, "1: the same CPU", "small middle"),
        text(right, bottom + 40, "Thole uses less →", "small end"),
      ],
    }),
  };
}

/** Name and classes of this server's series. */
function ownSeries(runtime: PeerResult["runtime"], store: MemoryResult["store"]): { readonly name: string; readonly classes: string } {
  return { name: `${runtimeNames[runtime]}, ${store}`, classes: `${runtimeClasses[runtime]}${storeClasses[store]}` };
}

interface Series {
  readonly name: string;
  readonly classes: string;
  readonly rates: ReadonlyMap<string, Rate>;
}

/** Beside a kube-apiserver if there is a comparison; otherwise this server's stores. */
function seriesOf(results: Kept["results"], unsorted: readonly PeerResult[]): readonly Series[] {
  const peers = sortedPeers(unsorted);
  const [first] = peers;
  if (first === undefined) {
    return results.map(({ store, runtime, measured }) => ({
      ...ownSeries(runtime, store),
      rates: new Map(measured.filter(({ name }) => plain.has(name)).map((each) => [each.name, each])),
    }));
  }
  const side = (rows: PeerResult["rows"], which: "ours" | "theirs") =>
    new Map(rows.flatMap(({ name, rates }) => rates === undefined ? [] : [[name, rates[which]] as const]));
  return [
    ...peers.map(({ runtime, rows }) => ({
      name: `Thole on ${runtimeNames[runtime]}`,
      classes: runtimeClasses[runtime],
      rates: side(rows, "ours"),
    })),
    { name: "kube-apiserver", classes: peerClass, rates: side(first.rows, "theirs") },
  ];
}

/** Scenarios whose latencies are shown without a comparison. */
const plain: ReadonlySet<string> = new Set([
  ...[
    "get",
    "page of 500",
    "page of 500, gzip",
    "list of 10,000",
    "list of 10,000, gzip",
    "create",
    "update",
    "merge patch",
    "apply, 1 kB",
  ],
  ...["watch, 100 watchers", "watch, 500 watchers", "watch, 1,000 watchers"],
]);

/** A line from the median to the rarest percentile for each series. */
function latencyPicture(series: readonly Series[]): Picture {
  const names = [...new Set(series.flatMap(({ rates }) => [...rates.keys()]))];
  const percentiles = ({ p50, p99, p999 }: Rate) => [p50, p99, ...(p999 === undefined || !Number.isFinite(p999) ? [] : [p999])];
  const all = series.flatMap(({ rates }) => [...rates.values()].flatMap(percentiles));
  const ticks = logarithmicTicks(Math.min(1, ...all), Math.max(10, ...all));
  const x = logarithmic(ticks[0]!, ticks.at(-1)!, left, right);
  const gap = 15, step = series.length * gap + 16, bottom = top + names.length * step;
  const parts = names.flatMap((name, index) => {
    const y = top + index * step + 15;
    const marks = series.flatMap(({ rates, classes: color }, at) => {
      const rate = rates.get(name);
      if (rate === undefined) return [];
      const own = y + at * gap, shown = percentiles(rate);
      return [
        line(x(shown[0]!), own, x(shown.at(-1)!), own, `line ${color}`),
        dot(x(rate.p50), own, 5, color),
        ...shown.slice(1).map((value) => line(x(value), own - 5, x(value), own + 5, `line ${color} solid`)),
      ];
    });
    return [text(left - 12, y + (series.length - 1) * gap / 2 + 5, name, "end"), line(left, y - 15, right, y - 15, "grid"), ...marks];
  });
  const rare = series.some(({ rates }) => [...rates.values()].some((rate) => percentiles(rate).length > 2));
  const upTo = rare ? ", 99th and 99.9th percentile" : " and 99th percentile";
  const title = `Latency under load: median${upTo}, in milliseconds`;
  const described = names.map((name) =>
    `${name}: ${
      series.flatMap(({ name: whose, rates }) => {
        const rate = rates.get(name);
        return rate === undefined ? [] : [`${whose} ${percentiles(rate).map(short).join(", ")}`];
      }).join("; ")
    }`
  );
  return {
    name: pictureNames.latency,
    alt: `Median${upTo} of the latency by scenario: ${series.map(({ name }) => name).join("; ")}`,
    svg: svgOf({
      title,
      description: `${described.join(". ")}.`,
      height: bottom + 46,
      parts: [
        text(16, 28, title, "head"),
        ...legend(series.map(({ name, classes }) => ({ name, classes, mark: "dots" as const })), []),
        ...axisX(x, ticks, top, bottom, (tick) => tick.toLocaleString("en")),
        ...parts,
        text(right, bottom + 40, "milliseconds, logarithmic", "small end"),
      ],
    }),
  };
}

/** Latency of events against the number of watches: one panel for each rate of writes, over HTTP/2 as client-go sends it. */
function watchesPicture(watches: readonly WatchResult[]): Picture {
  const isShown = ({ protocol }: WatchPoint) => protocol === "h2";
  const own = watches.map(({ store, runtime, points }) => ({
    ...ownSeries(runtime, store),
    points: points.filter((point) => isShown(point) && point.server === "thole"),
  }));
  // The same for all: one of them is enough.
  const theirs = watches.map(({ points }) => points.filter((point) => isShown(point) && point.server === "kube-apiserver"))
    .find(({ length }) => length > 0);
  const series = [...own, ...(theirs === undefined ? [] : [{ name: "kube-apiserver", classes: peerClass, points: theirs }])];
  const all = series.flatMap(({ points }) => points);
  const rates = [...new Set(all.map(({ writesPerSecond }) => writesPerSecond))].toSorted((a, b) => a - b);
  const counts = [...new Set(all.map(({ watchers }) => watchers))].toSorted((a, b) => a - b);
  const ticks = logarithmicTicks(Math.min(1, ...all.map(({ p50 }) => p50)), Math.max(10, ...all.map(({ p50 }) => p50)));
  const above = top + 24, bottom = above + 300, y = logarithmic(ticks[0]!, ticks.at(-1)!, bottom, above);
  const gap = 34, width = (right - 80 - gap * (rates.length - 1)) / rates.length;
  const panels = rates.flatMap((rate, index) => {
    const from = 80 + index * (width + gap), to = from + width;
    const x = logarithmic(Math.min(...counts), Math.max(...counts), from + 12, to - 12);
    return [
      text(from, above - 10, rate === 1 ? "1 write a second" : `${rate} writes a second`),
      ...axisX(x, counts, above, bottom, (count) => count.toLocaleString("en")),
      ...ticks.map((tick) => line(from, y(tick), to, y(tick), "grid")),
      ...series.flatMap(({ classes, points }) => {
        const shown = points.filter(({ writesPerSecond }) => writesPerSecond === rate).toSorted((a, b) => a.watchers - b.watchers);
        const places = shown.map(({ watchers, p50 }) => [x(watchers), y(p50)] as const);
        return places.length === 0 ? [] : [lines(places, classes), ...places.map(([atX, atY]) => dot(atX, atY, 4, classes))];
      }),
    ];
  });
  const described = series.map(({ name, points }) =>
    `${name}: ${
      points.map(({ watchers, writesPerSecond, p50, p99 }) =>
        `${watchers} watches at ${writesPerSecond} writes a second ${short(p50)}, ${short(p99)}`
      ).join("; ")
    }`
  );
  const title = "Latency of events against the number of watches, over HTTP/2: median";
  return {
    name: pictureNames.watches,
    alt: `Median time from a write to its event against the number of watches: ${series.map(({ name }) => name).join("; ")}`,
    svg: svgOf({
      title,
      description: `Median and 99th percentile in milliseconds. ${described.join(". ")}.`,
      height: bottom + 46,
      parts: [
        text(16, 28, title, "head"),
        ...legend(series.map(({ name, classes }) => ({ name, classes: `line ${classes}`, mark: "line" as const })), []),
        ...ticks.map((tick) => text(72, y(tick) + 5, tick.toLocaleString("en"), "small end")),
        text(72, above - 10, "ms", "small end"),
        ...panels,
        text(right, bottom + 40, "watches, logarithmic", "small end"),
      ],
    }),
  };
}

/** Resident memory of idle servers against the number of objects. */
function memoryPicture(memory: readonly MemoryResult[]): Picture {
  const ticksX = linearTicks(Math.max(...memory.flatMap(({ points }) => points.map(({ objects }) => objects))));
  const ticksY = linearTicks(Math.max(...memory.flatMap(({ points }) => points.map(({ mebibytes }) => mebibytes))));
  const x = linear(ticksX.at(-1)!, 80, right), bottom = 400, y = linear(ticksY.at(-1)!, bottom, top);
  const series = memory.map(({ store, runtime }) => ({
    ...ownSeries(runtime, store),
  }));
  const parts = memory.flatMap(({ points }, index) => [
    lines(points.map(({ objects, mebibytes }) => [x(objects), y(mebibytes)]), series[index]!.classes),
    ...points.map(({ objects, mebibytes }) => dot(x(objects), y(mebibytes), 4, series[index]!.classes)),
  ]);
  const described = memory.map(({ points }, index) =>
    `${series[index]!.name}: ${
      points.map(({ objects, mebibytes }) => `${short(mebibytes)} MiB with ${objects.toLocaleString("en")}`).join(", ")
    }`
  );
  const title = "Memory of an idle server against its objects";
  return {
    name: pictureNames.memory,
    alt: `${title} of ${memory[0]!.bytes.toLocaleString("en")} bytes, by runtime and store`,
    svg: svgOf({
      title,
      description: `${described.join(". ")}.`,
      height: bottom + 46,
      parts: [
        text(16, 28, title, "head"),
        ...legend(series.map((each) => ({ name: each.name, classes: `line ${each.classes}`, mark: "line" as const })), []),
        ...axisX(x, ticksX, top, bottom, (tick) => tick.toLocaleString("en")),
        ...ticksY.flatMap((
          tick,
        ) => [line(80, y(tick), right, y(tick), "grid"), text(72, y(tick) + 5, tick.toLocaleString("en"), "small end")]),
        text(72, top - 10, "MiB", "small end"),
        text(right, bottom + 40, `objects of ${memory[0]!.bytes.toLocaleString("en")} bytes`, "small end"),
        ...parts,
      ],
    }),
  };
}

/** Vertical lines with labels below; of many only powers of ten have a label, and none overlaps the one before. */
function axisX(x: Scale, ticks: readonly number[], above: number, below: number, label: (tick: number) => string): readonly string[] {
  let end = -Infinity;
  return ticks.flatMap((tick) => {
    const half = label(tick).length * digitWidth / 2;
    const grid = line(x(tick), above, x(tick), below, "grid");
    if (x(tick) - half < end || ticks.length > labelsMax && !Number.isInteger(Math.log10(tick))) return [grid];
    end = x(tick) + half + digitWidth;
    return [grid, text(x(tick), below + 20, label(tick), "small middle")];
  });
}

interface Entry {
  readonly name: string;
  readonly classes: string;
  readonly mark: "bar" | "tick" | "line" | "dots";
}

/** One row below the title. */
function legend(series: readonly Entry[], others: readonly Entry[]): readonly string[] {
  let from = 16;
  return [...series, ...others].flatMap(({ name, classes, mark }) => {
    const x = from, y = 52;
    // About the width of the text.
    from += 34 + name.length * 7.6 + 22;
    const drawn = mark === "bar"
      ? [bar(x, x + 24, y - 8, 15, classes)]
      : mark === "tick"
      ? [line(x + 12, y - 9, x + 12, y + 9, classes)]
      : [line(x, y, x + 24, y, mark === "dots" ? `line ${classes}` : classes), ...(mark === "dots" ? [dot(x + 12, y, 5, classes)] : [])];
    return [...drawn, text(x + 32, y + 5, name)];
  });
}
