/**
 * A program: one worker of a server. `supervise.ts` starts it with its number, the number of workers, the port and the words of `thole serve`. Its
 * standard input and output are the connection to the supervisor. It ends when that connection ends.
 */
import process from "node:process";
import { systemClock } from "../../core/async.ts";
import { plugins } from "../../plugins/mod.ts";
import { startHeavyThread } from "../heavy/thread.ts";
import { describe } from "../../kernel/observe/log.ts";
import { loggedProgress } from "../log/progress.ts";
import { type Running, serve } from "../startup/serve.ts";
import { lineReader, PipeChannel } from "../workers/channel.ts";
import { type OwnAnswers, workerGroup } from "../workers/group.ts";
import type { Close, GroupQuestion, Ready, WorkerQuestion } from "../workers/messages.ts";
import { flushLog, prepare } from "./prepare.ts";
import { reportFailure } from "./report-failure.ts";
import { workerUnreadyEndMs } from "../workers/bounds.ts";

const [, , worker = "", count = "", port = "", ...args] = process.argv;

async function main(): Promise<void> {
  // A signal for the whole group of processes: the supervisor gets it too, and ends the workers.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  const closing = Promise.withResolvers<void>(), answers = Promise.withResolvers<OwnAnswers>(), starting = Promise.withResolvers<Running>();
  let steps = 0;
  const channel = new PipeChannel<GroupQuestion, Ready, WorkerQuestion, Close>({
    send: (line) => void process.stdout.write(line),
    noticed: () => closing.resolve(),
    async answer(question) {
      if (question.what === "ping") return steps;
      if (question.what === "reload") return await (await starting.promise).reload();
      const own = await answers.promise;
      if (question.what === "metrics") return await own.metrics(question.which, question.restarts);
      return question.what === "health" ? await own.health(question.endpoint) : own.page();
    },
  });
  const reader = lineReader((line) => channel.take(line));
  process.stdin.on("data", (chunk: Uint8Array) => reader.write(chunk));
  // Without its supervisor this process would never end. As after a kill, clients connect to the next server on the port.
  process.stdin.on("end", () => process.exit(1));
  process.stdout.on("error", () => process.exit(1));

  const prepared = await prepare(args, plugins, Number(worker));
  if (prepared === undefined) return;
  const { configuration, log } = prepared, logged = loggedProgress(log, systemClock.elapsed);
  steps++;
  void closing.promise.then(() => {
    // Ends a start that does not come to an end, such as one without a store.
    const timer = setTimeout(() => process.exit(0), workerUnreadyEndMs);
    starting.promise.then((running) => {
      clearTimeout(timer);
      running.close().then(() => flushLog()).then(() => process.exit(0), (error) => {
        log.error("the shutdown failed", describe(error));
        process.exit(1);
      });
    });
  });
  const running = await serve({
    ...configuration,
    log,
    progress: (what) => {
      const { done, end } = logged(what);
      return {
        done(objects, left) {
          steps++;
          done(objects, left);
        },
        end,
      };
    },
    process: { flushLog },
    startHeavy: startHeavyThread,
    workers: workerGroup({ worker: Number(worker), count: Number(count), port: Number(port) }, channel, answers.resolve),
  });
  starting.resolve(running);
  const { url, kubeconfig } = running;
  channel.notify({ url, port: running.port, ...(kubeconfig === undefined ? {} : { kubeconfig }) });
}

main().catch((error: unknown) => {
  reportFailure(error);
  process.exit(1);
});
