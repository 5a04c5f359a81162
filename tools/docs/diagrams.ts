/** Draws `docs/diagrams/*.dot` as `docs/pictures/*.svg`: `npm run diagrams`. A test checks that the pictures are up to date. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { instance } from "@viz-js/viz";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));

/** The style of all diagrams, as attributes of Graphviz. The background is opaque, so that pages can be dark. */
const style = {
  graphAttributes: { bgcolor: "white", pad: 0.3, nodesep: 0.35, ranksep: 0.4, fontname: "Helvetica,Arial,sans-serif" },
  nodeAttributes: {
    shape: "box",
    style: "rounded,filled",
    fillcolor: "#eef4f8",
    color: "#12324a",
    fontname: "Helvetica,Arial,sans-serif",
    fontsize: 11,
    margin: "0.24,0.09",
  },
  edgeAttributes: { color: "#5a6b78", fontname: "Helvetica,Arial,sans-serif", fontsize: 10, arrowsize: 0.7 },
};

/** The SVG of a diagram. Rejects with Graphviz's message if the text is invalid. */
export async function drawing(dot: string): Promise<string> {
  const graphviz = await instance();
  const colored = dot.replaceAll('class="error"', 'fillcolor="#fbe9e7" color="#a33a2a"');
  const svg = graphviz.renderString(colored, { format: "svg", engine: "dot", ...style });
  // Without the declaration, the program's name and comments. Ids and titles would be tooltips of internal names.
  return svg.replace(/^[\s\S]*?(?=<svg)/, "").replaceAll(/<!--[\s\S]*?-->\n?/g, "").replaceAll(/<title>[^<]*<\/title>\n?/g, "");
}

/** The diagrams: name and text. */
export function diagrams(): readonly { readonly name: string; readonly dot: string }[] {
  return readdirSync(`${docs}diagrams`).filter((file) => file.endsWith(".dot"))
    .map((file) => ({ name: file.replace(/\.dot$/, ""), dot: readFileSync(`${docs}diagrams/${file}`, "utf8") }));
}

/** The path of a diagram's picture. */
export const pictureOf = (name: string): string => `${docs}pictures/${name}.svg`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { name, dot } of diagrams()) writeFileSync(pictureOf(name), await drawing(dot));
}
