// Records a session with `thole dev` and kubectl in two terminals, and draws it: docs/pictures/terminal.svg. Part of `npm run pictures`.
// Needs tmux, bash and kubectl on PATH, and the port 6443.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { root } from "./runtimes.mjs";
import { terminalSvg } from "./terminal-svg.mjs";

const columns = 118, rows = 44, shownOfServer = 24, attempts = 600, attemptMs = 100;
const commands = [
  "kubectl apply -f widgets.yaml",
  "kubectl get widgets",
  `kubectl patch widget small --type=merge -p '{"spec":{"colour":"blue"}}'`,
  `kubectl patch widget large --type=merge -p '{"spec":{"colour":"mauve"}}'`,
  "kubectl explain widget.spec.millimetres",
];
const objects = ["small", "large"].map((name, index) =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: ${name}}\nspec: {millimetres: ${12 + 30 * index}}\n`
).join("---\n");

/** The plugin of docs/writing-a-plugin.md. */
function plugin() {
  const page = readFileSync(join(root, "docs/writing-a-plugin.md"), "utf8");
  const [code] = page.split("```ts\n").slice(1).map((rest) => rest.split("```")[0]).filter((text) => text.includes("definePlugin("));
  return code.replaceAll('"thole/plugin"', JSON.stringify(join(root, "plugin.ts")));
}

/** A terminal with a shell in `folder`, in a tmux of its own. */
function terminal(folder, name) {
  const socket = join(folder, `${name}.socket`);
  const tmux = (...args) => {
    const { status, stdout, stderr, error } = spawnSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
    if (status !== 0) throw new Error(`tmux ${args.join(" ")}: ${error?.message ?? stderr}`);
    return stdout;
  };
  // PS1 of an interactive shell without start files. The mark of the prompt is two characters, so that output is no prompt.
  const shell =
    `exec env -u KUBECONFIG PS1='\\[\\e[1;36m\\]❯\\[\\e[0m\\] ' PATH='${folder}:${process.env.PATH}' bash --norc --noprofile -i`;
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", folder, shell);
  const lines = () => tmux("capture-pane", "-e", "-p").trimEnd().split("\n");
  const plain = () => tmux("capture-pane", "-p").trimEnd();
  const until = async (what, is) => {
    for (let attempt = 0; !is(plain()); attempt++) {
      if (attempt === attempts) throw new Error(`${what}: ${plain()}`);
      await pause(attemptMs);
    }
  };
  const prompts = (text) => text.split("\n").filter((line) => line.startsWith("❯")).length;
  return {
    lines,
    until,
    type: (text) => tmux("send-keys", "-l", text) + tmux("send-keys", "Enter"),
    /** Runs a command to its end. */
    async run(text) {
      await until("no prompt", (shown) => shown.endsWith("❯"));
      const before = prompts(plain());
      this.type(text);
      await until(text, (shown) => prompts(shown) > before && shown.endsWith("❯"));
    },
    close: () => spawnSync("tmux", ["-S", socket, "kill-server"]),
  };
}

export async function drawTerminal() {
  const folder = mkdtempSync(join(tmpdir(), "harbour-"));
  writeFileSync(join(folder, "thole"), `#!/bin/sh\nexec node "${join(root, "scripts/start.mjs")}" "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, "widgets.ts"), plugin());
  writeFileSync(join(folder, "widgets.yaml"), objects);
  const server = terminal(folder, "server"), client = terminal(folder, "client");
  try {
    await server.until("no prompt", (shown) => shown.endsWith("❯"));
    server.type("thole dev --plugins=./widgets.ts");
    await server.until("the server is not ready", (shown) => shown.includes("export KUBECONFIG="));
    const exported = server.lines().map((line) => stripVTControlCharacters(line)).find((line) => line.startsWith("export KUBECONFIG="));
    for (const command of [exported, ...commands]) await client.run(command);
    // Without the last prompt, and the blank lines before it.
    const shown = client.lines().slice(0, -1).join("\n").trimEnd().split("\n");
    const path = join(root, "docs/pictures/terminal.svg");
    const description = "Two terminals: kubectl creates, lists and patches widgets, a kind of a plugin; thole dev shows each request.";
    const panes = [{ title: "kubectl", lines: shown }, { title: "thole dev", lines: server.lines().slice(0, shownOfServer) }];
    writeFileSync(path, terminalSvg({ columns, description, panes }));
    console.log(path);
  } finally {
    client.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await drawTerminal();
