/** Limits of the program: its processes, and development. Part of `limits.ts`. */
export const programLimits = Object.freeze({
  /** Files beside plugin modules whose changes `thole dev` notices. */
  developedFilesMax: 5_000,
  /** Processes of one server. */
  workersMax: 64,
  /** Milliseconds that one worker waits for the metrics and errors of the others; one that does not answer counts with its last known metrics. */
  workerAnswerMs: 2_000,
  /** Milliseconds before a worker that has ended is started again: the first pause, each twice the one before, and the longest. */
  workerRestartMs: 100,
  workerRestartMsMax: 30_000,
  /** Milliseconds after which a worker that ends counts as one that had run well: the next pause is the first one again. */
  workerSteadyMs: 60_000,
  /** Milliseconds between two questions to a worker whether it runs, which is also the time for its answer, and unanswered questions in succession
   *  after which it is killed and replaced: 30 to 40 s. The chart's liveness probe ends the whole server after 80 s. */
  workerCheckMs: 10_000,
  workerUnansweredMax: 3,
  /** Milliseconds without progress, asked as often, after which a worker that is starting is killed and replaced. A start without objects takes a few
   *  seconds; each page of objects that it reads is progress. */
  workerStartQuietMsMax: 120_000,
  /** Milliseconds that a worker has to end if it is stopped before it was ready; after twice that time it is killed. */
  workerUnreadyEndMs: 5_000,
});
