import { Agent, request } from "node:http";
import { percentile } from "./statistics.ts";

export interface Call {
  method: string;
  /** An absolute URL. */
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Load {
  /** Returns the next request. Requests can use different keys and credentials. */
  next: () => Call;
  connections: number;
  milliseconds: number;
  /** The expected status of every response. */
  status: number;
}

export interface Measured {
  /** Responses per second. */
  rate: number;
  /** Percentiles of the milliseconds from sending a request to receiving its complete response. */
  p50: number;
  p99: number;
  requests: number;
  /** The number of responses with another status and of requests without a response. */
  failures: number;
}

/** Sends requests over keep-alive connections, one after the other on each connection, and times each request. */
export async function load({ next, connections, milliseconds, status }: Load): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const deadline = startedAt + milliseconds;
  const runConnection = async () => {
    while (performance.now() < deadline) {
      const sentAt = performance.now();
      const actualStatus = await send(next(), agent).catch(() => 0);
      times.push(performance.now() - sentAt);
      if (actualStatus !== status) failures += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, runConnection));
  const seconds = (performance.now() - startedAt) / 1000;
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

/** Sends one request, reads the complete response and returns its status. */
function send({ method, url, headers, body }: Call, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent }, (response) => {
      response.on("error", reject);
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
