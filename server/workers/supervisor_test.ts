// The supervisor with workers that are played by the test.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LineSink } from "../../protocols/files/line-sink.ts";
import { openLog, silentLog } from "../../kernel/observe/log.ts";
import type { PageFacts } from "../status-page/reply.ts";
import type { ControllerRow } from "../status-page/state.ts";
import type { RecentError } from "../log/recent-errors.ts";
import { type ManualClock, manualClock } from "../../test/store/clock.ts";
import { type Channel, PipeChannel } from "./channel.ts";
import type { GroupMetrics } from "./group-metrics.ts";
import type { Close, GroupQuestion, Ready, WorkerQuestion } from "./messages.ts";
import { startProcess } from "./start-process.ts";
import { type Exit, supervise, type SupervisorOptions, WorkerFailed, workerRestartMs, workerRestartMsMax } from "./supervisor.ts";
import { workerCheckMs, workerStartQuietMsMax, workerUnansweredMax } from "./answering.ts";
import { workerUnreadyEndMs } from "./bounds.ts";

interface Played {
  readonly worker: number;
  readonly port: number;
  readonly channel: Channel<GroupQuestion, Ready>;
  readonly asked: WorkerQuestion[];
  readonly told: Close[];
  answer: (question: WorkerQuestion) => Promise<unknown>;
  ready(): void;
  print(line: string): void;
  end(exit: Exit): void;
  /** How often it was killed. */
  killed: number;
}

function stage(options: Partial<SupervisorOptions> = {}) {
  const clock = manualClock(), started: Played[] = [], logged: string[] = [], printed: string[] = [];
  const states: string[] = [], ended: number[] = [];
  const restarts: ("slis" | undefined)[] = [];
  const metrics: GroupMetrics = {
    restart: (which) => void restarts.push(which),
    text: async (which, workers, ask) => `${which}: ${(await Promise.all(workers.map((worker) => ask(worker)))).flat().join()}`,
    ended: (worker) => void ended.push(worker),
    states: (configured, ready) => void states.push(`${ready}/${configured}`),
  };
  const supervisor = supervise({
    count: 2,
    port: 0,
    metrics,
    clock,
    log: openLog("json", (line) => logged.push(line), clock.now, { v: 0, modules: [] }),
    recentErrors: () => [],
    auditLog: undefined,
    print: (line) => void printed.push(line),
    start(worker, port, output) {
      const exited = Promise.withResolvers<Exit>();
      const channel: Played["channel"] = new PipeChannel<GroupQuestion, Ready, WorkerQuestion, Close>({
        send: (line) => output(line.trimEnd()),
        noticed: (notice) => void played.told.push(notice),
        answer: (question) => {
          played.asked.push(question);
          return played.answer(question);
        },
      });
      const played: Played = {
        worker,
        port,
        channel,
        asked: [],
        told: [],
        answer: () => Promise.resolve([]),
        ready: () => channel.notify({ url: "https://127.0.0.1:7", port: 7 }),
        print: output,
        end: exited.resolve,
        killed: 0,
      };
      started.push(played);
      return {
        pid: 100 + started.length,
        exited: exited.promise,
        send: (text) => void channel.take(text.trimEnd()),
        kill() {
          played.killed++;
          exited.resolve({ code: 137, signal: "SIGKILL" });
        },
      };
    },
    ...options,
  });
  return { clock, started, logged, printed, states, ended, restarts, supervisor };
}

/** Lets promises settle. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function begun(options: Partial<SupervisorOptions> = {}) {
  const staged = stage(options);
  staged.started[0]!.ready();
  await settled();
  staged.started[1]!.ready();
  return { ...staged, supervisor: await staged.supervisor };
}

test("supervise() starts the first worker alone, and the others on its port when it is ready", async () => {
  const { started, supervisor, states } = stage();
  await settled();
  assert.deepEqual(started.map(({ worker, port }) => [worker, port]), [[1, 0]]);
  started[0]!.ready();
  await settled();
  assert.deepEqual(started.map(({ worker, port }) => [worker, port]), [[1, 0], [2, 7]]);
  started[1]!.ready();
  assert.equal((await supervisor).ready.url, "https://127.0.0.1:7");
  assert.equal(states.at(-1), "2/2");
});

test("supervise() rejects with the code of a first worker that ends before it is ready", async () => {
  const { started, supervisor, ended } = stage();
  started[0]!.end({ code: 3 });
  await assert.rejects(supervisor, (error) => error instanceof WorkerFailed && error.code === 3);
  assert.deepEqual([started.length, ended], [1, []]);
});

test("supervise() starts a worker that ends again, after pauses that double", async () => {
  const { clock, started, logged, ended, states } = await begun();
  started[1]!.end({ code: 137, signal: "SIGKILL" });
  await settled();
  assert.equal(states.at(-1), "1/2");
  assert.match(logged.at(-1)!, /"a worker has ended and is started again","worker":2,"code":137,"signal":"SIGKILL","pauseMs":100/);
  assert.equal(started.length, 2);
  for (const [index, pauseMs] of [100, 200, 400].entries()) {
    clock.advance(pauseMs - 1);
    await settled();
    assert.equal(started.length, 2 + index, `not before ${pauseMs} ms`);
    clock.advance(1);
    await settled();
    assert.equal(started.length, 3 + index);
    assert.deepEqual([started.at(-1)!.worker, started.at(-1)!.port], [2, 7]);
    started.at(-1)!.end({ code: 1 });
    await settled();
  }
  clock.advance(800);
  await settled();
  started.at(-1)!.ready();
  clock.advance(60_000);
  started.at(-1)!.end({ code: 1 });
  await settled();
  assert.match(logged.at(-1)!, /"pauseMs":100/, "it had run well for a minute");
  assert.deepEqual(ended, [2, 2, 2, 2, 2]);
});

test("supervise() starts a worker that always ends at most once in 30 s", async () => {
  const { clock, started, logged } = await begun();
  for (let time = 0; time < 12; time++) {
    started.at(-1)!.end({ code: 1 });
    await settled();
    clock.advance(workerRestartMsMax - 1);
    await settled();
  }
  assert.match(logged.at(-1)!, /"pauseMs":30000/);
  const before = started.length;
  clock.advance(1);
  await settled();
  assert.equal(started.length, before + 1);
});

const pinged = ({ asked }: Played) => asked.filter(({ what }) => what === "ping").length;

test("supervise() kills and replaces a worker that leaves several questions unanswered", async () => {
  const { clock, started, logged, ended, states } = await begun();
  const [one, two] = started;
  const wait = async (times: number) => {
    for (let time = 0; time < times; time++) {
      clock.advance(workerCheckMs);
      await settled();
    }
  };
  await wait(5);
  assert.deepEqual([pinged(one!), pinged(two!)], [5, 5], "both answer");
  two!.answer = () => new Promise(() => {});
  await wait(workerUnansweredMax);
  assert.deepEqual([two!.killed, pinged(two!)], [0, 5 + workerUnansweredMax], "the last question has time left");
  clock.advance(workerCheckMs);
  await settled();
  assert.deepEqual([one!.killed, two!.killed, ended], [0, 1, [2]]);
  assert.match(logged.at(-2)!, /"a worker does not answer and is killed","worker":2,"pid":102,"unansweredMs":30000/);
  assert.match(logged.at(-1)!, /"a worker has ended and is started again","worker":2,.*"signal":"SIGKILL"/);
  clock.advance(workerRestartMs);
  await settled();
  started[2]!.ready();
  assert.equal(states.at(-1), "2/2");
  await wait(5);
  assert.deepEqual([one!.killed, two!.killed, started[2]!.killed], [0, 1, 0]);
});

test("supervise() keeps a worker that answers again in time, one that is starting, and one that has ended", async () => {
  const { clock, started: [one, two], supervisor, started } = await begun();
  const wait = async () => {
    clock.advance(workerCheckMs);
    await settled();
  };
  await wait();
  for (let round = 0; round < 3; round++) {
    two!.answer = () => new Promise(() => {});
    for (let unanswered = 1; unanswered < workerUnansweredMax; unanswered++) await wait();
    two!.answer = () => Promise.resolve();
    await wait();
    await wait();
  }
  assert.deepEqual([one!.killed, two!.killed], [0, 0]);
  two!.end({ code: 1 });
  await settled();
  clock.advance(workerRestartMs);
  await settled();
  started[2]!.answer = () => new Promise(() => {});
  for (let time = 0; time < 10; time++) await wait();
  assert.deepEqual(started.map(({ killed }) => killed), [0, 0, 0]);
  const closing = supervisor.close();
  started[2]!.end({ code: 0 });
  one!.answer = () => new Promise(() => {});
  for (let time = 0; time < 10; time++) await wait();
  assert.equal(one!.killed, 1, "also one that does not end");
  assert.equal(await closing, 137);
});

/** Waits for the effect of another process. */
async function eventually(is: () => boolean): Promise<void> {
  for (let tries = 0; !is() && tries < 3000; tries++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(is());
}

/** Advances the time in steps between which questions are answered. */
async function passing(clock: ManualClock, ms: number): Promise<void> {
  for (let past = 0; past < ms; past += workerCheckMs) {
    clock.advance(workerCheckMs);
    await settled();
  }
}

test("supervise() kills and replaces a worker whose start does not go on, whether it answers or not, and counts it", async () => {
  const hung = { answers: () => Promise.resolve(3), silent: () => new Promise(() => {}) };
  // The first answer is progress.
  for (
    const [answer, lastMs] of [[hung.answers, workerStartQuietMsMax + 2 * workerCheckMs], [hung.silent, workerStartQuietMsMax]] as const
  ) {
    const { clock, started, logged, ended, states, supervisor } = stage();
    started[0]!.ready();
    await settled();
    started[1]!.answer = answer;
    await passing(clock, lastMs - workerCheckMs);
    assert.deepEqual([started.length, started[1]!.killed], [2, 0]);
    await passing(clock, workerCheckMs);
    assert.deepEqual([started[0]!.killed, started[1]!.killed, ended], [0, 1, [2]]);
    assert.match(logged.at(-2)!, /"a worker does not get ready and is killed","worker":2,"pid":102,"withoutProgressMs":120000/);
    assert.match(logged.at(-1)!, /"a worker has ended and is started again","worker":2,.*"pauseMs":100/);
    clock.advance(workerRestartMs);
    await settled();
    started[2]!.ready();
    assert.equal((await supervisor).ready.port, 7);
    assert.equal(states.at(-1), "2/2");
    await passing(clock, 2 * workerStartQuietMsMax);
    assert.deepEqual(started.map(({ killed }) => killed), [0, 1, 0], "the bound is of starts only");
  }
});

test("supervise() keeps a worker whose start goes on, however long it takes", async () => {
  const { clock, started } = stage();
  started[0]!.ready();
  await settled();
  let pages = 0;
  started[1]!.answer = () => Promise.resolve(Math.floor(pages++ / 6));
  await passing(clock, 10 * workerStartQuietMsMax);
  assert.deepEqual(started.map(({ killed }) => killed), [0, 0]);
});

test("supervise() replaces a first worker that hangs before it is ready; one that ends by itself then still fails the start", async () => {
  for (const endsWell of [true, false]) {
    const { clock, started, ended, supervisor } = stage();
    const outcome = supervisor.then(({ ready }) => ready.port, (error) => error instanceof WorkerFailed ? `code ${error.code}` : error);
    started[0]!.answer = () => new Promise(() => {});
    await passing(clock, workerStartQuietMsMax);
    assert.deepEqual([started[0]!.killed, ended], [1, [1]]);
    clock.advance(workerRestartMs);
    await settled();
    assert.deepEqual([started.length, started[1]!.worker, started[1]!.port], [2, 1, 0]);
    if (endsWell) started[1]!.ready();
    else started[1]!.end({ code: 4 });
    await settled();
    if (endsWell) started[2]!.ready();
    assert.equal(await outcome, endsWell ? 7 : "code 4");
  }
});

test("Supervisor.close() kills a worker that was starting and does not end", async () => {
  const { clock, started, supervisor, logged } = await begun();
  started[1]!.end({ code: 1 });
  await settled();
  clock.advance(workerRestartMs);
  await settled();
  const closing = supervisor.close();
  await settled();
  assert.deepEqual([started.length, started[2]!.told], [3, ["close"]]);
  started[0]!.end({ code: 0 });
  clock.advance(2 * workerUnreadyEndMs - 1);
  await settled();
  assert.equal(started[2]!.killed, 0, "it has time to end by itself");
  clock.advance(1);
  assert.equal(await closing, 0, "it served nobody");
  assert.match(logged.at(-1)!, /"level":"info".*"a worker that was starting is killed","worker":2/);
});

test("supervise() ends a process that blocks before it is ready, and its replacement gets ready", async () => {
  const text = (isBlocked: boolean) =>
    `(async () => {
    const { default: process } = await import("node:process");
    console.log("up");
    if (${isBlocked}) for (;;) {}
    process.stdin.on("data", (chunk) => String(chunk).includes("close") && process.exit(0));
    process.stdout.write("\x1e" + JSON.stringify({ tag: "notice", notice: { url: "https://127.0.0.1:7", port: 7 } }) + "\\n");
  })()`;
  const clock = manualClock(), up: number[] = [], ended: number[] = [];
  const supervisor = supervise({
    count: 1,
    port: 0,
    metrics: { restart() {}, text: () => Promise.resolve(""), ended: (worker) => void ended.push(worker), states() {} },
    clock,
    log: silentLog,
    recentErrors: () => [],
    auditLog: undefined,
    print: () => void up.push(1),
    start: (_worker, _port, output) => {
      const program = text(up.length === 0);
      return startProcess({
        args: "Deno" in globalThis ? ["eval", "--no-check", program] : ["-e", program],
        output,
        errors: (line) => console.error(line),
      });
    },
  });
  await eventually(() => up.length === 1);
  await passing(clock, workerStartQuietMsMax);
  await eventually(() => ended.length === 1);
  await settled();
  clock.advance(workerRestartMs);
  const { ready, close } = await supervisor;
  assert.deepEqual([ready.port, up.length, await close()], [7, 2, 0]);
});

test("supervise() answers a worker about all: metrics, errors, health, audit lines", async () => {
  const at = (time: number): RecentError => ({ at: time, module: "", message: `error ${time}` });
  const page = (time: number, doing: ControllerRow["doing"]): PageFacts => ({
    errors: [at(time)],
    controllers: [{ name: "namespace", doing, failures: 1 }],
  });
  const lines: string[] = [];
  const auditLog: LineSink = {
    append: (all) => {
      lines.push(...all.map((line) => new TextDecoder().decode(line)));
      return Promise.resolve(new Map([[1, "disk full"]]));
    },
    close: () => Promise.resolve(),
  };
  const { started: [one, two], clock, restarts } = await begun({ auditLog, recentErrors: () => [at(2)] });
  one!.answer = ({ what }) => Promise.resolve(what === "metrics" ? ["a"] : what === "page" ? page(1, "waiting") : []);
  two!.answer = ({ what }) => Promise.resolve(what === "metrics" ? ["b"] : what === "page" ? page(3, "running") : ["etcd", "ping"]);
  const ask = (question: GroupQuestion) => one!.channel.ask(question);
  assert.equal(await ask({ what: "metrics", which: "slis" }), "slis: a,b");
  assert.deepEqual(restarts, []);
  assert.equal(await ask({ what: "metrics", restarts: true }), "undefined: a,b");
  assert.deepEqual([restarts, two!.asked.at(-1)], [[undefined], { what: "metrics", restarts: true }]);
  assert.deepEqual(await ask({ what: "page" }), {
    errors: [at(3), at(2), at(1)],
    controllers: [{ name: "namespace", doing: "running", failures: 2 }],
  });
  assert.equal(await ask({ what: "health", worker: 1, endpoint: "readyz" }), "");
  assert.equal(await ask({ what: "health", worker: 2, endpoint: "livez" }), "etcd, ping");
  assert.equal(await ask({ what: "health", worker: 3, endpoint: "livez" }), "there is no such worker");
  assert.deepEqual(await ask({ what: "audit", lines: ["x\n", "ä\n"] }), [[1, "disk full"]]);
  assert.deepEqual(lines, ["x\n", "ä\n"]);
  two!.answer = () => Promise.reject(new Error("broken"));
  assert.equal(await ask({ what: "health", worker: 2, endpoint: "livez" }), "it does not answer: broken");
  two!.end({ code: 1 });
  await settled();
  assert.equal(await ask({ what: "health", worker: 2, endpoint: "readyz" }), "it ended with code 1");
  assert.equal(await ask({ what: "health", worker: 2, endpoint: "livez" }), "", "it is started again here");
  clock.advance(100);
  await settled();
  assert.equal(await ask({ what: "health", worker: 2, endpoint: "readyz" }), "it is starting");
});

test("Supervisor.reload() reaches all workers, also if one fails", async () => {
  const { started: [one, two], supervisor } = await begun();
  one!.answer = () => Promise.reject(new Error("broken"));
  await supervisor.reload();
  assert.deepEqual([one!.asked, two!.asked], [[{ what: "reload" }], [{ what: "reload" }]]);
});

test("Supervisor.close() tells all workers, waits for them, and resolves with the worst code; none is started again", async () => {
  for (const code of [0, 1]) {
    const { started, supervisor, logged } = await begun();
    let result: number | undefined;
    const closing = supervisor.close().then((value) => result = value);
    assert.deepEqual(started.map(({ told }) => told), [["close"], ["close"]]);
    started[0]!.end({ code });
    await settled();
    assert.equal(result, undefined);
    assert.equal(await started[1]!.channel.ask({ what: "health", worker: 1, endpoint: "readyz" }), "shutdown");
    started[1]!.end({ code: 0 });
    await closing;
    assert.deepEqual([result, started.length], [code, 2]);
    assert.doesNotMatch(logged.join(), /started again/);
  }
});

test("Supervisor.close() during the pause of a worker starts it no more", async () => {
  const { started, supervisor } = await begun();
  started[1]!.end({ code: 1 });
  await settled();
  const closing = supervisor.close();
  started[0]!.end({ code: 0 });
  assert.equal(await closing, 0);
  assert.equal(started.length, 2);
});

test("supervise() prints what workers print", async () => {
  const { started: [one], printed } = await begun();
  one!.print("a plugin's line");
  assert.deepEqual(printed, ["a plugin's line"]);
});
