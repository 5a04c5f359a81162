/** The commands of the program, and the choice of one. `commands` has their modules. */
import { nearest } from "../../core/nearest.ts";
import { importFlags, outputFlag, sourceFlags } from "./source-flags.ts";
import { valueText } from "../../core/value-text.ts";

/** A command line that cannot be understood, or a file that it names and that cannot be read; the message is for the user. */
export class UsageError extends Error {}

export interface Command {
  /** The words after the name, as in help. */
  readonly usage: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Further lines for `help COMMAND`. */
  readonly details: string;
  /** Whether the words after the name are settings, as for `serve`. */
  readonly takesSettings: boolean;
  /** Flags of the command alone. */
  readonly flags?: readonly CommandFlag[];
}

/** A flag of one command, read by `commandFlagsOf`. */
export interface CommandFlag {
  readonly name: string;
  /** A letter: `f` for `-f`. */
  readonly letter?: string;
  /** The placeholder of its value in help. A flag without one is a switch. */
  readonly value?: string;
  readonly help: string;
  /** For completion: what the value is. */
  readonly values?: "file" | readonly string[];
  /** Whether its file is written. */
  readonly isWritten?: boolean;
  /** Whether it may be given several times. */
  readonly isRepeated?: boolean;
}

const filenames: CommandFlag = {
  name: "filename",
  letter: "f",
  value: "FILE",
  help: "a file, a folder (its files .yaml, .yml and .json), or - for the standard input; may be repeated",
  values: "file",
  isRepeated: true,
};
const recursive: CommandFlag = { name: "recursive", letter: "R", help: "read the folders below a folder, too" };
const groupDomain: CommandFlag = {
  name: "group-domain",
  value: "DOMAIN",
  help: "the domain of API groups, as the server's setting (default k8s.io)",
};

/** All commands, in the order of help. `serve` is the default. */
export const commands = Object.freeze(
  {
    serve: {
      usage: "[--flag=value ...]",
      summary: "run the server (the default command)",
      details:
        "Without flags it serves on https://127.0.0.1:6443 from an embedded store in ./thole-data and writes ./thole-data/kubeconfig.\n" +
        "The flags are listed by: thole help",
      takesSettings: true,
    },
    check: {
      usage: "[CONFIG] [--strict] [--store] [--flag=value ...]",
      summary: "check the configuration, its files and plugins without starting",
      details:
        "CONFIG is a configuration file, as --config=CONFIG. Prints every mistake in it, in the files that it names and in the plugins, and warnings about what has no\n" +
        "effect, as FILE:LINE:COLUMN: error|warning: TEXT to the standard error. Exits with 1 if there is a mistake; with --strict a warning counts as one.\n" +
        "With --store it also runs the checks of `thole verify`, and exits with 1 if they find an error.",
      takesSettings: true,
      flags: [
        { name: "strict", help: "exit with 1 if there is a warning, too" },
        { name: "store", help: "also verify the store" },
      ],
    },
    verify: {
      usage: "[--from-...] [-o json] [--flag=value ...]",
      summary: "check every object of the store, also while a server uses it",
      details:
        "Errors: objects that cannot be read or are not at their key, and uids that are used twice. Warnings: custom resources that do not match their schema or have\n" +
        "no definition, owners and namespaces that are missing. Reads one revision and changes nothing; of an embedded store in use it reads a copy, which it makes\n" +
        "in the data folder and removes. With a flag --from-... it reads the store of another server instead, as thole import. The other flags are the server's settings.\n" +
        "Exits with 0 without errors, with 2 if it found errors, and with 1 if the store cannot be read.",
      takesSettings: true,
      flags: [...sourceFlags, outputFlag],
    },
    history: {
      usage: "RESOURCE NAME [-n NAMESPACE] [--revision=N] [-o json] [--flag=value ...]",
      summary: "show what each write changed in an object, also while a server uses the store",
      details:
        "Prints the versions of the object that the store still has, the oldest first: the revision, the time and the managers of its fields where they are known, and each field\n" +
        "that differs from the version before. The store has them until compaction: see --etcd-compaction-interval. Deleted objects have a history, too. RESOURCE is a plural, singular or\n" +
        "short name or a kind, with its group if needed: deployments.apps. Values of Secrets are not shown: equal values have the same number. Changes no object; of an embedded store in use\n" +
        "it reads a copy, which it makes in the data folder and removes. The other flags are the server's settings.\n" +
        "Exits with 0, with 2 if the store has no version of the object, and with 1 if it cannot be read. See docs/operators-guide.md#what-happened-to-an-object.",
      takesSettings: true,
      flags: [
        { name: "namespace", letter: "n", value: "NAMESPACE", help: "the namespace of the object (default: default)" },
        { name: "revision", value: "N", help: "print the object as it was at this revision, as JSON" },
        outputFlag,
      ],
    },
    import: {
      usage: "--from-snapshot=FILE|--from-etcd-servers=URLS [--list] [--flag=value ...]",
      summary: "copy the objects of a kube-apiserver from its etcd into the store",
      details:
        "Reads the newest state of each key and writes the objects of the kinds that this server has, definitions of custom resources first, with their uids, times,\n" +
        "finalizers, owners and managed fields. Each is read again and compared. A second run skips objects that are equal; objects that differ are kept unless\n" +
        "--overwrite is given. The source is never written. An embedded store must not be in use. The other flags are the server's settings, with its store. See\n" +
        "docs/migrating-from-kube-apiserver.md.\n" +
        "Exits with 0 if every object of these kinds is in the store, with 2 if some are not, and with 1 if the import could not run to its end.",
      takesSettings: true,
      flags: [...sourceFlags, ...importFlags, outputFlag],
    },
    backup: {
      usage: "--to=FILE [--flag=value ...]",
      summary: "copy the store to a file, also while servers use it",
      details:
        "An embedded store becomes one file, an etcd a snapshot as by etcdctl; each etcd of --etcd-servers-overrides has a file of its own. The file appears when it is whole:\n" +
        "its checks are done, and its revision and keys were read back and are printed. A file that exists is not overwritten. The other flags are the server's settings.\n" +
        "Exits with 0, or with 1 if the store or the file fails. See docs/operators-guide.md#back-up-and-restore.",
      takesSettings: true,
      flags: [{ name: "to", value: "FILE", values: "file", isWritten: true, help: "the file of the backup" }],
    },
    restore: {
      usage: "--from=FILE [--keep-revisions] [--flag=value ...]",
      summary: "put a backup of an embedded store into an empty data folder",
      details:
        "Checks the file, copies it to --data-dir and raises the revision, so that watches of before get 410 and list again. A folder with a store is refused, and so is one\n" +
        "of a running server. A snapshot of etcd is checked, and the commands that restore it are printed. The other flags are the server's settings.\n" +
        "Exits with 0, with 1 if the backup or the folder cannot be used, or with 2 if etcd's own program has to restore it.",
      takesSettings: true,
      flags: [
        { name: "from", value: "FILE", values: "file", help: "the file of the backup" },
        { name: "keep-revisions", help: "do not raise the revision: watches of before may then wait for ever" },
      ],
    },
    envtest: {
      usage: "--dir=DIR [--without-etcd]",
      summary: "make the folder of kube-apiserver, etcd and kubectl that envtest starts",
      details:
        "Prints the line that sets KUBEBUILDER_ASSETS to it. etcd and kubectl are those on PATH. Without an etcd there, or with --without-etcd, etcd is a stand-in that envtest\n" +
        "starts and stops as any other, and kube-apiserver keeps its objects in an embedded store in the stand-in's data folder. See docs/instead-of-envtest.md.",
      takesSettings: false,
      flags: [
        { name: "dir", value: "DIR", values: "file", isWritten: true, help: "the folder to make, or to make again" },
        { name: "without-etcd", help: "use the stand-in although an etcd is on PATH" },
      ],
    },
    record: {
      usage: "--to=FILE [--kubeconfig FILE] [--context NAME] [--port N]",
      summary: "record the requests to a real cluster, for replays in tests",
      details:
        "Listens on 127.0.0.1 with a kubeconfig of its own, whose path it prints, passes requests on to the cluster of --kubeconfig (default: KUBECONFIG) with the\n" +
        "credentials in it, and keeps each with its answer. Values of Secrets, tokens and headers are not kept. exec, attach and port-forward are refused.\n" +
        "A signal (Ctrl-C) ends it and writes the file, which server.replay of thole/testing reads. See docs/testing.md.",
      takesSettings: false,
      flags: [
        { name: "to", value: "FILE", values: "file", isWritten: true, help: "the file of the recording" },
        { name: "kubeconfig", value: "FILE", values: "file", help: "the cluster (default: the file that KUBECONFIG names)" },
        { name: "context", value: "NAME", help: "the context (default: the current one)" },
        { name: "port", value: "N", help: "the port on 127.0.0.1 (default: a free one)" },
      ],
    },
    dev: {
      usage: "[--flag=value ...]",
      summary: "run a server for development: restarts when a plugin changes, prints each request",
      details:
        "Objects and kubeconfig are in a temporary folder that is removed at the end; with --data-dir or --etcd-servers they stay.\n" +
        "A change of a file beside a plugin module (--plugins=./mine.ts) restarts the server, which keeps its objects.",
      takesSettings: true,
    },
    convert: {
      usage: "-f FILE [-R] [--output-version GROUP/VERSION]",
      summary: "convert files of objects from removed API versions, and keep their comments",
      details:
        "Prints the files with their objects in the preferred version, or in that of --output-version; objects that it does not concern stay as they are.\n" +
        "What was written so that the behaviour stays the same, and what only a person can choose, is printed to the standard error as FILE:LINE: FIELD: TEXT.\n" +
        "Exits with 0 if everything is converted, 2 if choices are left, 1 if a file cannot be read. docs/removed-apis.md lists the versions.",
      takesSettings: false,
      flags: [
        filenames,
        recursive,
        { name: "output-version", value: "GROUP/VERSION", help: "the version to convert to (default: the preferred version of each kind)" },
        groupDomain,
      ],
    },
    advise: {
      usage: "[-f FILE [-R]] [--kubeconfig FILE] [--audit-log FILE] [--from-...] [-o text|json|sarif] [--fix]",
      summary: "find uses of API versions that end: in files, charts, a running server, its audit log and its etcd",
      details: "Prints where each is, who writes it, the release that ends it, and how to fix it.\n" +
        "With a flag --from-... it reads the objects in the etcd of a kube-apiserver or of Thole, as thole import does, and changes nothing there.\n" +
        "Exits with 0 if nothing ends by the target release, 2 if something does or --fix leaves choices, 1 if something cannot be read. See docs/upgrading.md.",
      takesSettings: false,
      flags: [
        filenames,
        recursive,
        {
          name: "kubeconfig",
          value: "FILE",
          help: "look at the server of this kubeconfig: requests for old versions, stored objects, releases of Helm",
          values: "file",
        },
        {
          name: "audit-log",
          value: "FILE",
          help: "look at requests in an audit log (JSON lines); may be repeated",
          values: "file",
          isRepeated: true,
        },
        ...sourceFlags,
        { name: "target-version", value: "RELEASE", help: "the release to upgrade to (default 1.35)" },
        { name: "output", letter: "o", value: "FORM", help: "text, json or sarif (default text)", values: ["text", "json", "sarif"] },
        { name: "fix", help: "convert the files in place, as thole convert; charts and templates stay" },
        groupDomain,
      ],
    },
    completion: {
      usage: "bash|zsh|fish",
      summary: "print a completion script for a shell",
      details: "bash: source <(thole completion bash)\nzsh:  thole completion zsh > ~/.zfunc/_thole, with ~/.zfunc in fpath\n" +
        "fish: thole completion fish > ~/.config/fish/completions/thole.fish",
      takesSettings: false,
    },
    version: {
      usage: "[-o json]",
      summary: "print the version of the program and of the API",
      details: 'With -o json it prints the object of the path /version, with the version of Thole as "thole".',
      takesSettings: false,
    },
    help: {
      usage: "[COMMAND | --flag=value ...]",
      summary: "print the flags of the server, or the help of a command",
      details: "With --plugins=MODULE, or the --config of a server, the flags that its plugins declare are printed as well.",
      takesSettings: false,
    },
  } satisfies Readonly<Record<string, Command>>,
);

export type CommandName = keyof typeof commands;

export const flagsOf = (name: CommandName): readonly CommandFlag[] => (commands[name] as Command).flags ?? []; // Each is a Command.

/** A flag in help: `-f, --filename=FILE`. */
export function flagForm({ name, letter, value }: CommandFlag): string {
  return `${letter === undefined ? "" : `-${letter}, `}--${name}${value === undefined ? "" : `=${value}`}`;
}

export const isCommand = (word: string): word is CommandName => Object.hasOwn(commands, word);

/** A chosen command with the words after its name. */
export interface Chosen {
  readonly name: CommandName;
  readonly args: readonly string[];
}

/**
 * The command of a command line. A line that begins with a flag is for `serve`. `--help` after a command is `help COMMAND`, and `--version` is `version`.
 * Throws a UsageError for an unknown command.
 */
export function chooseCommand(words: readonly string[]): Chosen {
  const [first = "", ...rest] = words;
  if (first === "" && words.length === 0 || first.startsWith("-")) {
    if (words.includes("--version")) return { name: "version", args: [] };
    // The words beside --help may choose plugins, whose flags help lists.
    return isHelp(words) ? { name: "help", args: words.filter((word) => !isHelp([word])) } : { name: "serve", args: words };
  }
  if (!isCommand(first)) {
    const near = nearest(first, Object.keys(commands));
    throw new UsageError(
      `unknown command ${valueText(first.slice(0, 100))}${near === undefined ? "" : `: did you mean "${near}"?`} (the commands are ${
        Object.keys(commands).join(", ")
      }; a setting is --name=value)`,
    );
  }
  if (first !== "help" && isHelp(rest)) return { name: "help", args: [first] };
  if (commands[first].takesSettings && rest.includes("--version")) return { name: "version", args: [] };
  return { name: first, args: rest };
}

const isHelp = (words: readonly string[]) => words.includes("--help") || words.includes("-h");
