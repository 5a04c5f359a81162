/**
 * Builds the documentation as plain HTML pages: `npm run site [-- FOLDER [SOURCE-URL]]`, by default in `build/site`. The pages need no scripts and nothing
 * from other hosts. Links to files that are not pages lead to SOURCE-URL, or are plain text without one.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Marked, type Tokens } from "marked";
import { slugger } from "./slugs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A section of the index, docs/README.md, with its pages. */
interface Section {
  readonly title: string;
  readonly pages: readonly { readonly path: string; readonly title: string }[];
}

const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The Markdown pages of the site, by their paths in the repository. */
export function sitePages(): readonly string[] {
  const below = (folder: string) =>
    readdirSync(join(root, folder)).filter((file) => file.endsWith(".md")).map((file) => `${folder}/${file}`);
  return [...below("docs"), ...below("docs/decisions"), ...below("docs/measurements"), "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
}

/** The folders whose pages have a generated list, with its title. */
const listings: Readonly<Record<string, string>> = { "docs/decisions": "Decisions", "docs/measurements": "Measurements" };

/** Where a page is on the site. The index is docs/README.md; pages of `docs` lose that folder. */
function outputOf(path: string): string {
  return path === "docs/README.md" ? "index.html" : path.replace(/^docs\//, "").replace(/\.md$/, ".html");
}

const titleOf = (text: string) => /^# (.*)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? "";

/** The navigation: the headings and tables of the index. */
function sectionsOf(index: string): readonly Section[] {
  return index.split(/^## /m).slice(1).map((part) => ({
    title: part.slice(0, part.indexOf("\n")),
    pages: [...part.matchAll(/^\| \[[^\]]*\]\(([\w-]+\.md)\)/gm)].map(([, file]) => ({
      path: `docs/${file}`,
      title: titleOf(read(`docs/${file}`)),
    })),
  }));
}

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** The target of a link of a page, on the site. Undefined: it has none there. */
function linkTo(target: string, page: string, pages: ReadonlySet<string>, source: string | undefined): string | undefined {
  if (/^[a-z]+:/.test(target) || target.startsWith("#")) return target;
  const [path = "", anchor] = target.split("#");
  const file = posix.normalize(posix.join(dirname(page), path)).replace(/\/$/, "");
  const suffix = anchor === undefined ? "" : `#${anchor}`;
  const from = dirname(outputOf(page));
  if (pages.has(file)) return `${posix.relative(from, outputOf(file))}${suffix}`;
  if (file in listings) return posix.relative(from, `${file.slice("docs/".length)}/index.html`);
  if (file.startsWith("docs/pictures/")) return posix.relative(from, file.slice("docs/".length));
  return source === undefined ? undefined : `${source.replace(/\/$/, "")}/${file}${suffix}`;
}

/** The HTML of a page's Markdown. */
function contentOf(text: string, page: string, pages: ReadonlySet<string>, source: string | undefined): string {
  const slug = slugger();
  const markdown = new Marked({ gfm: true });
  markdown.use({
    renderer: {
      heading({ tokens, depth, text: raw }: Tokens.Heading) {
        const id = slug(raw);
        return `<h${depth} id="${id}">${
          this.parser.parseInline(tokens)
        } <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const target = linkTo(href, page, pages, source), inner = this.parser.parseInline(tokens);
        return target === undefined ? inner : `<a href="${escape(target)}">${inner}</a>`;
      },
      image({ href, text: alt }: Tokens.Image) {
        return `<img src="${escape(linkTo(href, page, pages, source) ?? href)}" alt="${escape(alt)}" loading="lazy">`;
      },
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("")}</tr>`;
        const body = token.rows.map((cells) => row(cells, "td")).join("\n");
        return `<div class="wide"><table><thead>${row(token.header, "th")}</thead><tbody>\n${body}\n</tbody></table></div>\n`;
      },
      html: () => "", // Only comments: marks of generated parts.
    },
  });
  return markdown.parse(text, { async: false });
}

/** A whole HTML page. */
function pageOf(title: string, content: string, output: string, sections: readonly Section[]): string {
  const up = (path: string) => posix.relative(dirname(output), path);
  const nav = sections.filter(({ pages }) => pages.length > 0).map((section) => {
    const links = section.pages.map(({ path, title: name }) =>
      `<li><a href="${up(outputOf(path))}"${outputOf(path) === output ? ' aria-current="page"' : ""}>${escape(name)}</a></li>`
    );
    return `<h2>${escape(section.title)}</h2>\n<ul>\n${links.join("\n")}\n</ul>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'; style-src 'self'">
<title>${escape(title)} · Thole</title>
<link rel="icon" type="image/svg+xml" href="${up("pictures/icon.svg")}">
<link rel="stylesheet" href="${up("style.css")}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a href="${up("index.html")}"><img src="${up("pictures/icon.svg")}" alt="" width="28" height="28"> Thole</a></header>
<nav aria-label="Pages">
${nav.join("\n")}
</nav>
<main id="content">
${content}</main>
</body>
</html>
`;
}

/** Writes the site to a folder, which is emptied first. Returns the paths of its HTML pages. */
export function buildSite(folder: string, source?: string): readonly string[] {
  const paths = sitePages(), pages = new Set(paths), sections = sectionsOf(read("docs/README.md"));
  rmSync(folder, { recursive: true, force: true });
  const write = (output: string, text: string) => {
    mkdirSync(dirname(join(folder, output)), { recursive: true });
    writeFileSync(join(folder, output), text);
    return output;
  };
  const written = paths.map((path) => {
    const text = read(path);
    return write(outputOf(path), pageOf(titleOf(text), contentOf(text, path, pages, source), outputOf(path), sections));
  });
  for (const [listed, title] of Object.entries(listings)) {
    const links = paths.filter((path) => path.startsWith(`${listed}/`))
      .map((path) => `- [${titleOf(read(path))}](${posix.relative(listed, path)})`).join("\n");
    const output = `${listed.slice("docs/".length)}/index.html`;
    written.push(
      write(output, pageOf(title, contentOf(`# ${title}\n\n${links}\n`, `${listed}/index.md`, pages, source), output, sections)),
    );
  }
  mkdirSync(join(folder, "pictures"), { recursive: true });
  for (const file of readdirSync(join(root, "docs/pictures"))) {
    copyFileSync(join(root, "docs/pictures", file), join(folder, "pictures", file));
  }
  copyFileSync(join(root, "tools/docs/site.css"), join(folder, "style.css"));
  return written;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = join(root, "build/site"), source] = process.argv.slice(2);
  const target = resolve(folder);
  if (existsSync(target) && !existsSync(join(target, "style.css")) && readdirSync(target).length > 0) {
    console.error(`site: ${target} has other files; name an empty folder`);
    process.exit(1);
  }
  console.log(`${buildSite(target, source).length} pages in ${relative(process.cwd(), target)}`);
}
