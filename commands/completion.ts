/** `thole completion`: scripts for shells, made from the commands and the settings table. */
import type { Plugin } from "../core/plugin.ts";
import { kernelGates } from "../core/released/gates.ts";
import { isChoice } from "../server/config/choose-controllers.ts";
import { listedGates } from "../server/config/help.ts";
import { type AnySetting, settings } from "../server/config/settings.ts";
import { pathSettings } from "../server/startup/permissions.ts";
import { type CommandFlag, type CommandName, commands, flagsOf as flagsOfCommand, UsageError } from "../server/config/commands.ts";
import { valueText } from "../core/value-text.ts";

export async function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const [shell = "", ...rest] = args;
  if (rest.length > 0 || !isShell(shell)) {
    throw new UsageError(`completion: ${valueText(args.join(" "))} is not a shell: the shells are ${Object.keys(scripts).join(", ")}`);
  }
  console.log(scripts[shell](flagsOf(plugins)));
  return 0;
}

const isShell = (word: string): word is keyof typeof scripts => Object.hasOwn(scripts, word);

/** What may follow the `=` of a flag: words, or "file". */
type Values = "file" | readonly string[];

interface Flag {
  readonly name: string;
  readonly help: string;
  readonly values: Values;
  /** Whether several values are separated by commas. */
  readonly isList: boolean;
}

function flagsOf(plugins: readonly Plugin[]): readonly Flag[] {
  const gates = listedGates([kernelGates, ...plugins.map(({ featureGates = {} }) => featureGates)]).filter(({ locked }) => !locked);
  const words: Readonly<Record<string, readonly string[]>> = {
    "plugins": plugins.map(({ name }) => name),
    "feature-gates": gates.flatMap(({ name }) => [`${name}=true`, `${name}=false`]),
    "http2-implementation": ["own", "runtime"],
    "logging-format": ["text", "json"],
    "enable-admission-plugins": stepNames(plugins, true),
    "disable-admission-plugins": stepNames(plugins, false),
    "controllers": controllerWords(plugins),
  };
  return Object.entries<AnySetting>(settings).map(([name, { kind, help }]) => ({
    name,
    help: help.replaceAll(/\s+/g, " "),
    isList: kind === "list" || kind === "map",
    values: words[name] ?? (pathSettings.includes(name) ? "file" : kind === "bool" ? ["true", "false"] : []),
  }));
}

/** Returns the names of the steps that are off by default, or of those that are on. */
function stepNames(plugins: readonly Plugin[], isOptional: boolean): readonly string[] {
  return plugins.flatMap(({ admission = [] }) => admission).filter((step) => (step.isOptional ?? false) === isOptional).map(({ name }) =>
    name
  );
}

function controllerWords(plugins: readonly Plugin[]): readonly string[] {
  const names = plugins.flatMap(({ controllers = [] }) => controllers).filter(isChoice).map(({ name }) => name);
  return ["-*", ...names.flatMap((name) => [name, `-${name}`])];
}

const names = Object.keys(commands);
/** Commands with flags of their own, without settings and beside them. */
const ownFlagged = (names as readonly CommandName[]).filter((name) => flagsOfCommand(name).length > 0); // Keys of the table.
const withFlags = ownFlagged.filter((name) => !commands[name].takesSettings),
  besideSettings = ownFlagged.filter((name) => commands[name].takesSettings);
const shells = () => Object.keys(scripts).join(" ");

/** The functions of the script for bash that make replies. */
const bashReplies = `# Completion of thole for bash: source <(thole completion bash)
# The replies are one on each line: names of files have spaces, and characters that a shell would replace.
_thole_replies() {
  local reply
  COMPREPLY=()
  while IFS= read -r reply; do COMPREPLY+=("$reply"); done
}
_thole_words() { _thole_replies < <(compgen -W "$1" -- "$current"); }
# With this option readline quotes what it inserts: a file may be named $(reboot).
_thole_files() {
  compopt -o filenames 2>/dev/null
  _thole_replies < <(compgen -f -- "$current")
}
# The last of values that are separated by commas. Replies have what follows the last "=", which is the word to replace.
_thole_list() {
  local head="" done="\${value%"$current"}" index
  if [[ $value == *,* ]]; then head="\${value%,*},"; fi
  _thole_replies < <(compgen -P "$head" -W "$1" -- "\${value##*,}")
  for index in "\${!COMPREPLY[@]}"; do COMPREPLY[index]="\${COMPREPLY[index]#"$done"}"; done
}
`;

function bash(flags: readonly Flag[]): string {
  const cases = flags.filter(({ values }) => values.length > 0).map(({ name, values, isList }) =>
    `      --${name}) ${values === "file" ? "_thole_files" : `${isList ? "_thole_list" : "_thole_words"} "${values.join(" ")}"`} ;;`
  );
  const ownCases = withFlags.map((name) => {
    const own = flagsOfCommand(name), takesFile = own.some(({ values }) => values === "file");
    const list = own.map((flag) => `--${flag.name}${flag.value === undefined ? "" : "="}`).join(" ");
    const files = takesFile ? "if [[ $current != -* ]]; then _thole_files; return; fi; " : "";
    return `    ${name}) ${files}_thole_words "--help ${list}"; if [[ \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi; return ;;`;
  });
  const ownValues = new Map(
    besideSettings.flatMap(flagsOfCommand).flatMap(({ name, values }) => values === undefined ? [] : [[name, values] as const]),
  );
  const valueCases = Array.from(
    ownValues,
    ([name, values]) => `      --${name}) ${values === "file" ? "_thole_files" : `_thole_words "${values.join(" ")}"`} ;;`,
  );
  const ownWords = besideSettings.map((name) =>
    `    ${name}) own="${flagsOfCommand(name).map((flag) => `--${flag.name}${flag.value === undefined ? "" : "="}`).join(" ")}" ;;`
  );
  return `${bashReplies}_thole() {
  local current="\${COMP_WORDS[COMP_CWORD]}" flag="" value="" at=$COMP_CWORD
  # Bash takes "=" for a word of its own: the value of a flag is the words after it, every other one of them "=".
  while ((at > 0)) && [[ \${COMP_WORDS[at]} != --* ]]; do value="\${COMP_WORDS[at]}$value"; ((at--)); done
  if ((at > 0 && at < COMP_CWORD)) && [[ \${COMP_WORDS[at+1]} == "=" && $value == =* ]]; then
    flag="\${COMP_WORDS[at]}" value="\${value#=}"
    local next
    for ((next = at + 1; next <= COMP_CWORD; next += 2)); do
      if [[ \${COMP_WORDS[next]} != "=" ]]; then flag=""; fi
    done
    if [[ $current == "=" ]]; then current=""; fi
  fi
  COMPREPLY=()
  if [[ -n $flag ]]; then
    case $flag in
${[...cases, ...valueCases].join("\n")}
    esac
    return
  fi
  if ((COMP_CWORD == 1)) && [[ $current != -* ]]; then _thole_words "${names.join(" ")}"; return; fi
  case "\${COMP_WORDS[1]}" in
    completion) _thole_words "${shells()}"; return ;;
    help) _thole_words "${names.join(" ")}"; return ;;
${ownCases.join("\n")}
    check) if [[ $current != -* ]]; then _thole_files; return; fi ;;
  esac
  local own=""
  case "\${COMP_WORDS[1]}" in
${ownWords.join("\n")}
  esac
  _thole_words "--help $own ${flags.map(({ name }) => `--${name}=`).join(" ")}"
  if [[ \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _thole thole`;
}

function zsh(flags: readonly Flag[]): string {
  const quoted = (text: string) => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, "\\$&");
  const rows = flags.map(({ name, help, values, isList }) => {
    const words = values === "file" ? "" : values.join(" ");
    const action = values === "file"
      ? ":file:_files"
      : words === ""
      ? ":value: "
      : `:value:${isList ? `_sequence compadd - ${words}` : `(${words})`}`;
    return `    '--${name}=[${quoted(help)}]${action}' \\`;
  });
  const action = ({ value, values = [] }: CommandFlag) =>
    value === undefined ? "" : values === "file" ? `:${value.toLowerCase()}:_files` : `:${value.toLowerCase()}:(${values.join(" ")})`;
  const ownRow = (flag: CommandFlag) => `'--${flag.name}${flag.value === undefined ? "" : "="}[${quoted(flag.help)}]${action(flag)}'`;
  const ownCases = withFlags.map((name) =>
    `    ${name}) _arguments ${
      flagsOfCommand(name).flatMap((flag) => [
        ownRow(flag),
        ...(flag.letter === undefined ? [] : [`'-${flag.letter}[${quoted(flag.help)}]${action(flag)}'`]),
      ]).join(" ")
    }; return ;;`
  );
  const ownRows = besideSettings.map((name) => `    ${name}) own=(${flagsOfCommand(name).map(ownRow).join(" ")}) ;;`);
  return `#compdef thole
# Completion of thole for zsh: thole completion zsh > ~/.zfunc/_thole
_thole() {
  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
    local -a list=(
${names.map((name) => `      '${name}:${quoted(commands[name as keyof typeof commands].summary)}'`).join("\n")}
    )
    _describe command list
    return
  fi
  case $words[2] in
    completion) compadd ${shells()}; return ;;
    help) compadd ${names.join(" ")}; return ;;
${ownCases.join("\n")}
  esac
  local -a own=()
  case $words[2] in
${ownRows.join("\n")}
  esac
  _arguments $own \\
${rows.join("\n")}
    '--help[show help]' \\
    '*:file:_files'
}
_thole "$@"`;
}

function fish(flags: readonly Flag[]): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const rows = flags.map(({ name, help, values, isList }) => {
    const words = values === "file" ? "" : values.join(" ");
    const list = () => quoted(`(__fish_complete_list , 'printf "%s\\n" ${words}')`);
    const action = values === "file" ? "-r -F" : words === "" ? "-x" : `-x -a ${isList ? list() : quoted(words)}`;
    return `complete -c thole -l ${name} -d ${quoted(help)} ${action}`;
  });
  return [
    "# Completion of thole for fish: thole completion fish > ~/.config/fish/completions/thole.fish",
    "complete -c thole -f",
    ...names.map((name) =>
      `complete -c thole -n __fish_use_subcommand -a ${name} -d ${quoted(commands[name as keyof typeof commands].summary)}`
    ),
    `complete -c thole -n '__fish_seen_subcommand_from completion' -a '${shells()}'`,
    `complete -c thole -n '__fish_seen_subcommand_from help' -a '${names.join(" ")}'`,
    "complete -c thole -n '__fish_seen_subcommand_from check' -F",
    ...ownFlagged.flatMap((name) =>
      flagsOfCommand(name).map(({ name: flag, letter, value, values, help }) =>
        `complete -c thole -n '__fish_seen_subcommand_from ${name}' -l ${flag}${letter === undefined ? "" : ` -s ${letter}`} -d ${
          quoted(help)
        }${value === undefined ? "" : values === "file" ? " -r -F" : ` -x${values === undefined ? "" : ` -a ${quoted(values.join(" "))}`}`}`
      )
    ),
    ...rows,
  ].join("\n");
}

const scripts = { bash, zsh, fish } as const;
