import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The simulated failure of a request. `lost` and `half` fail after the request was carried out. */
export type Fault = "429" | "503" | "500" | "cut" | "slow" | "lost" | "half" | undefined;

export const faults = ["429", "503", "500", "cut", "slow", "lost", "half"] as const;

/** A service that handles requests with `serve`. `faults` chooses the simulated failure of each request. */
export class FailingService {
  readonly requests: Request[] = [];
  faults: (index: number, request: Request) => Fault = () => undefined;
  readonly #serve: (request: Request) => Answer | Promise<Answer>;
  /** The delay of slow responses. */
  readonly #delayMs: number;
  readonly #server: Server;

  constructor(serve: (request: Request) => Answer | Promise<Answer>, delayMs = 400) {
    this.#serve = serve;
    this.#delayMs = delayMs;
    this.#server = createServer((message, response) => void this.#answer(message, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const url = new URL(message.url ?? "", "http://service");
    const { method = "", headers } = message;
    const body = bodyOf(headers["content-type"], bytes);
    const request = { method, path: url.pathname, query: url.searchParams, headers, body };
    const fault = this.faults(this.requests.push(request) - 1, request);
    if (fault === "cut") return void message.socket.destroy();
    if (fault === "429" || fault === "500" || fault === "503") {
      const code = { "429": "rate_limited", "500": "internal", "503": "try_again" }[fault];
      return send(response, problem(Number(fault), code, {}, { "Retry-After": "0" }));
    }
    const answer = await this.#serve(request);
    if (fault === "lost") return void message.socket.destroy();
    if (fault === "half") {
      response.writeHead(answer.status, { "Content-Length": "1000" }).write("{");
      return void setTimeout(() => message.socket.destroy(), 5);
    }
    if (fault === "slow") return void setTimeout(() => send(response, answer), this.#delayMs);
    send(response, answer);
  }
}

function bodyOf(type: string | undefined, bytes: Buffer): unknown {
  if (type === "application/json") return JSON.parse(bytes.toString());
  return type === "application/octet-stream" ? bytes : bytes.toString();
}

/** Forwards requests to another service. */
export const forwardTo =
  (url: string) =>
  async ({ method, path, query, headers, body }: Request): Promise<Answer> => {
    const { authorization = "", "content-type": type = "" } = headers;
    const key = headers["idempotency-key"] as string | undefined;
    const requestHeaders = {
      Authorization: authorization,
      ...(type && { "Content-Type": type }),
      ...(key && { "Idempotency-Key": key }),
    };
    const content = type ? { body: JSON.stringify(body) } : {};
    const response = await fetch(`${url}${path}?${query}`, {
      method,
      headers: requestHeaders,
      ...content,
    });
    return { status: response.status, body: await response.json() };
  };

export function problem(
  status: number,
  code: string,
  members: object = {},
  headers: Record<string, string> = {},
): Answer {
  return {
    status,
    body: { status, code, detail: "Told on purpose.", request_id: "request-1", ...members },
    headers,
  };
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, headers);
  const isContent = body === undefined || Buffer.isBuffer(body);
  response.end(isContent ? body : JSON.stringify(body));
}
