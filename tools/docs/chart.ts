/** Parts of charts as SVG: readable in light and dark mode, without scripts and without fonts of their own. */

/** Width of a chart, about the width of a page's text: a font size here is one there. */
export const chartWidth = 820;

/** Maps a value to a coordinate. */
export type Scale = (value: number) => number;

/** Colours by class: `a` to `c` for series, each readable on the background of its mode. */
const style = `
text { font: 14px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1d2730; }
.small { font-size: 13px; fill: #52626e; } .head { font-size: 16px; font-weight: 600; } .end { text-anchor: end; } .middle { text-anchor: middle; }
.ground { fill: #ffffff; } .grid { stroke: #dde4e9; } .axis { stroke: #1d2730; stroke-width: 1.5; } .target { stroke: #b3261e; stroke-width: 3; }
.range { stroke: #1d2730; stroke-width: 1.5; } .line { stroke-width: 2.5; } .dashed { stroke-dasharray: 6 4; } circle.dashed, .solid { stroke-dasharray: none; }
.value { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; }
.a { fill: #0b6f9e; stroke: #0b6f9e; } .b { fill: #b86f26; stroke: #b86f26; } .c { fill: #6b7883; stroke: #6b7883; }
@media (prefers-color-scheme: dark) {
text { fill: #dbe3ea; } .small { fill: #a3b2be; } .ground { fill: #10171d; } .grid { stroke: #2b3742; } .value { stroke: #10171d; } .axis, .range { stroke: #dbe3ea; } .target { stroke: #ff8a80; }
.a { fill: #5fb8e0; stroke: #5fb8e0; } .b { fill: #e3a55f; stroke: #e3a55f; } .c { fill: #93a1ad; stroke: #93a1ad; }
}
.bar { stroke: none; } .line { fill: none; }`;

export interface Chart {
  readonly title: string;
  /** The same for readers who do not see it. */
  readonly description: string;
  readonly height: number;
  readonly parts: readonly string[];
}

export function svgOf({ title, description, height, parts }: Chart): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${chartWidth} ${height}" width="${chartWidth}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<style>${style}\n</style>`,
    `<rect class="ground" width="${chartWidth}" height="${height}"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const at = (value: number): string => String(Number(value.toFixed(1)));

export function text(x: number, y: number, content: string, classes = ""): string {
  return `<text x="${at(x)}" y="${at(y)}"${classes === "" ? "" : ` class="${classes}"`}>${escaped(content)}</text>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, classes: string): string {
  return `<path d="M${at(x1)} ${at(y1)}L${at(x2)} ${at(y2)}" class="${classes}"/>`;
}

export function lines(points: readonly (readonly [x: number, y: number])[], classes: string): string {
  return `<path d="M${points.map(([x, y]) => `${at(x)} ${at(y)}`).join("L")}" class="line ${classes}"/>`;
}

export function bar(x1: number, x2: number, y: number, height: number, classes: string): string {
  return `<rect x="${at(Math.min(x1, x2))}" y="${at(y)}" width="${at(Math.abs(x2 - x1))}" height="${at(height)}" class="bar ${classes}"/>`;
}

export function dot(x: number, y: number, radius: number, classes: string): string {
  return `<circle cx="${at(x)}" cy="${at(y)}" r="${radius}" class="${classes}"/>`;
}

/** A logarithmic scale from `low` to `high`. */
export function logarithmic(low: number, high: number, from: number, to: number): Scale {
  return (value) => from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
}

export function linear(high: number, from: number, to: number): Scale {
  return (value) => from + value / high * (to - from);
}

/** 1, 2 and 5 times powers of ten, from the last one that is at most `low` to the first one that is at least `high`. */
export function logarithmicTicks(low: number, high: number): readonly number[] {
  const all = Array.from({ length: 13 }, (_, index) => index - 5).flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`)));
  const first = all.findLastIndex((tick) => tick <= low), last = all.findIndex((tick) => tick >= high);
  return all.slice(Math.max(0, first), last < 0 ? undefined : last + 1);
}

/** Round values from 0 to the first one that is at least `high`, about six of them. */
export function linearTicks(high: number): readonly number[] {
  const step = logarithmicTicks(high / 6, high / 6).at(-1) ?? 1;
  return Array.from({ length: Math.ceil(high / step) + 1 }, (_, index) => Number((index * step).toPrecision(6)));
}
