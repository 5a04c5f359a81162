/** A program: readers of large responses with a given rate and duration. */
import { readFileSync } from "node:fs";
import { connect, type TLSSocket } from "node:tls";
import { answerLines } from "./children.ts";

export interface Reading {
  readonly port: number;
  /** Path of the PEM file. */
  readonly ca: string;
  readonly token: string;
  readonly path: string;
  readonly readers: number;
  /** Bytes per second of each reader; 0: unlimited. */
  readonly bytesPerSecond: number;
  /** Readers that have not finished by then disconnect. */
  readonly seconds: number;
}

export interface Read {
  readonly bytes: number;
  /** Readers that reached the end of their response. */
  readonly finished: number;
  /** Readers with a broken connection or a status other than 200. */
  readonly failed: number;
  readonly seconds: number;
}

/** The marker of the end of a response, which may be split over several reads. */
const tailLength = 600;
/** Interval of reads of a slow reader. */
const sipMs = 50;

async function read(what: Reading): Promise<Read> {
  const ca = readFileSync(what.ca, "utf8");
  const start = performance.now();
  const all = await Promise.all(Array.from({ length: what.readers }, () => readOne(what, ca, start + what.seconds * 1000)));
  return {
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    finished: all.filter(({ end }) => end === "finished").length,
    failed: all.filter(({ end }) => end === "failed").length,
    seconds: (performance.now() - start) / 1000,
  };
}

interface OneRead {
  readonly bytes: number;
  readonly end: "finished" | "failed" | "left";
}

function readOne({ port, token, path, bytesPerSecond }: Reading, ca: string, until: number): Promise<OneRead> {
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({ host: "127.0.0.1", port, ca, ALPNProtocols: ["http/1.1"] }, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`);
    });
    let bytes = 0, sip = 0, answered = false, tail = "";
    const end = (how: OneRead["end"]): void => {
      clearInterval(sipping);
      clearTimeout(limit);
      socket.destroy();
      resolve({ bytes, end: how });
    };
    const limit = setTimeout(() => end("left"), Math.max(0, until - performance.now()));
    const sipping = setInterval(() => {
      sip = 0;
      socket.resume();
    }, sipMs);
    socket.on("data", (chunk: Buffer) => {
      if (!answered && !chunk.toString("latin1", 0, 12).endsWith(" 200")) return end("failed");
      answered = true;
      bytes += chunk.length;
      sip += chunk.length;
      if (bytesPerSecond > 0 && sip >= bytesPerSecond * sipMs / 1000) socket.pause();
      // The last chunk is empty; in a watch the bookmark marks the end of the initial state.
      tail = (tail + chunk.toString("latin1", Math.max(0, chunk.length - tailLength))).slice(-tailLength);
      if (tail.endsWith("\r\n0\r\n\r\n") || tail.includes("initial-events-end")) end("finished");
    });
    socket.on("error", () => end("failed")).on("close", () => end("failed"));
  });
}

await answerLines(read);
