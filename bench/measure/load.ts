import { Agent, request } from "node:http";
import { percentile } from "./statistics.ts";

export interface Call {
  method: string;
  /** Absolute. */
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Load {
  /** Gives each request, so that keys and credentials can differ. */
  next: () => Call;
  connections: number;
  milliseconds: number;
  /** The status that every answer has to have. */
  status: number;
}

export interface Measured {
  /** Answers a second. */
  rate: number;
  /** Milliseconds from sending a request to having its whole answer, of every request one by one. */
  p50: number;
  p99: number;
  requests: number;
  /** Answers of another status, and requests without one. */
  failures: number;
}

/** Sends requests over kept connections, each as soon as the one before is answered, and times every one. */
export async function load({ next, connections, milliseconds, status }: Load): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let failures = 0;
  const started = performance.now();
  const until = started + milliseconds;
  const run = async () => {
    while (performance.now() < until) {
      const sent = performance.now();
      const answered = await send(next(), agent).catch(() => 0);
      times.push(performance.now() - sent);
      if (answered !== status) failures += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, run));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  return {
    rate: times.length / seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    requests: times.length,
    failures,
  };
}

/** Sends one request, reads its whole answer, and gives the status. */
function send({ method, url, headers, body }: Call, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (answer) => {
      answer.on("error", reject);
      answer.on("end", () => resolve(answer.statusCode ?? 0));
      answer.resume();
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
