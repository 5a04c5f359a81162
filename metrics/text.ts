/** Prometheus' text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */

/** The two lines before the samples of a metric. */
export function headText(name: string, type: string, help: string): string {
  return `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n`;
}

/** The labels of a series, without braces: `verb="GET",code="200"`. */
export function labelsText(labels: Readonly<Record<string, string>>): string {
  let text = "";
  for (const [name, value] of Object.entries(labels)) {
    text += `${text === "" ? "" : ","}${name}="${escapeText(value).replaceAll('"', '\\"')}"`;
  }
  return text;
}

/** One line. `labels`: as `labelsText` writes them. */
export function sampleText(name: string, labels: string, value: number): string {
  return `${name}${labels === "" ? "" : `{${labels}}`} ${numberText(value)}\n`;
}

/** A value of a sample. */
export function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

function escapeText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
