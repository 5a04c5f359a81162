// Draws the text of a terminal, with its colours, as SVG.

const cell = { width: 7.8, height: 18 }, fontPx = 13, padding = 16, barHeight = 34;
const colours = {
  background: "#11151c",
  bar: "#1c222c",
  line: "#2c3543",
  text: "#d5dbe4",
  soft: "#8290a4",
};
/** By the number of the SGR parameter. */
const foregrounds = {
  30: "#3b4252",
  31: "#f2777a",
  32: "#8fd18a",
  33: "#f0c674",
  34: "#7fb2f0",
  35: "#c9a0e8",
  36: "#6fd0d0",
  37: colours.text,
  90: colours.soft,
  91: "#ff8f8f",
  92: "#a8e6a1",
  93: "#ffd98c",
  94: "#9cc6ff",
  95: "#dcb8f5",
  96: "#8fe3e3",
  97: "#ffffff",
};

/**
 * Lines with escape sequences as runs of characters of one look: [{ at, text, colour, bold }] for each line. A look lasts until the next sequence, also
 * over the ends of lines. Two blanks end a run, so that columns stay aligned where blanks are collapsed.
 */
export function runsOf(lines) {
  let colour = colours.text, bold = false;
  const change = (code) => {
    if (code === 0) [colour, bold] = [colours.text, false];
    else if (code === 1) bold = true;
    else if (code === 2) colour = colours.soft;
    else if (code === 22) bold = false;
    else if (code === 39) colour = colours.text;
    else colour = foregrounds[code] ?? colour;
  };
  return lines.map((line) => {
    const runs = [];
    let at = 0;
    // The odd parts are the parameters of the sequences.
    // deno-lint-ignore no-control-regex
    for (const [index, part] of line.split(/\x1b\[([\d;]*)m/).entries()) {
      if (index % 2 === 1) {
        for (const code of part.split(";")) change(Number(code));
        continue;
      }
      for (const { index: from, 0: text } of part.matchAll(/\S+( \S+)*/g)) runs.push({ at: at + from, text, colour, bold });
      at += part.length;
    }
    return runs;
  });
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const short = (number) => String(Math.round(number * 10) / 10);

/** A window with panes below each other: [{ title, lines }], and a description for those who do not see it. */
export function terminalSvg({ columns, description, panes }) {
  const width = 2 * padding + columns * cell.width;
  const parts = [];
  let top = 0;
  for (const [index, { title, lines }] of panes.entries()) {
    parts.push(
      `<rect y="${top}" width="${short(width)}" height="${barHeight}" fill="${colours.bar}"/>`,
      `<text x="${short(width / 2)}" y="${top + 22}" text-anchor="middle" fill="${colours.soft}">${escaped(title)}</text>`,
    );
    if (index === 0) {
      const dots = ["#f2777a", "#f0c674", "#8fd18a"].map((fill, dot) => `<circle cx="${20 + 18 * dot}" cy="17" r="5.5" fill="${fill}"/>`);
      parts.push(...dots);
    } else parts.push(`<path d="M0 ${top}H${short(width)}" stroke="${colours.line}"/>`);
    top += barHeight + padding;
    for (const [row, runs] of runsOf(lines).entries()) {
      for (const { at, text, colour, bold } of runs) {
        const x = short(padding + at * cell.width), y = top + row * cell.height + 9;
        // The length keeps columns aligned in every font.
        const length = `textLength="${short(text.length * cell.width)}" lengthAdjust="spacingAndGlyphs"`;
        parts.push(`<text x="${x}" y="${y}" ${length} fill="${colour}"${bold ? ' font-weight="bold"' : ""}>${escaped(text)}</text>`);
      }
    }
    top += lines.length * cell.height + padding;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${short(width)} ${top}" width="${
    short(width)
  }" height="${top}" role="img" ` +
    `font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${fontPx}">\n` +
    `<title>${escaped(description)}</title>\n` +
    `<clipPath id="window"><rect width="100%" height="100%" rx="10"/></clipPath>\n` +
    `<g clip-path="url(#window)">\n<rect width="100%" height="100%" fill="${colours.background}"/>\n${parts.join("\n")}\n</g>\n</svg>\n`;
}
