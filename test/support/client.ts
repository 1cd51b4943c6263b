import { exports } from "cloudflare:workers";
import { conforms } from "./conformance";

export const host = "https://forms.example";
export const root = `${host}/api/v1`;

/** A body of the service, untyped so that tests can read any member. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  etag: string;
  text: string;
  body: Json;
}

export type Fetch = (request: Request) => Promise<Response>;

const throughWorker: Fetch = (request) => exports.default.fetch(request);

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /^application\/(problem\+)?json/.test(response.headers.get("Content-Type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    etag: response.headers.get("ETag") ?? "",
    text,
    body: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}

/** Calls the API with one bearer token. */
export class Client {
  readonly bearer: string;
  readonly #fetch: Fetch;

  constructor(bearer: string, fetch: Fetch = throughWorker) {
    this.bearer = bearer;
    this.#fetch = fetch;
  }

  /** Returns a client with the same bearer that sends requests through another fetch. */
  through(fetch: Fetch): Client {
    return new Client(this.bearer, fetch);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const url = path.startsWith("https://") ? path : root + path;
    const raw = typeof body === "string" || body instanceof Uint8Array;
    const request = new Request(url, {
      method,
      headers: {
        Authorization: `Bearer ${this.bearer}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
    });
    const answer = await answerOf(await this.#fetch(request));
    await conforms(method, url, answer);
    return answer;
  }

  get = (path: string, headers?: Record<string, string>) =>
    this.send("GET", path, undefined, headers);
  delete = (path: string, headers?: Record<string, string>) =>
    this.send("DELETE", path, undefined, headers);
  post = (path: string, body: unknown, headers?: Record<string, string>) =>
    this.send("POST", path, body, headers);
  patch = (path: string, body: unknown, headers?: Record<string, string>) =>
    this.send("PATCH", path, body, headers);
  put = (path: string, body: unknown, headers?: Record<string, string>) =>
    this.send("PUT", path, body, headers);
}

/** Returns the text of a response without its request ID, for comparing responses. */
export const bytesOf = ({ text }: Answer) => text.replace(/"request_id":"[^"]+"/, "");

/** Follows `links.next` to the end and returns every item. */
export async function everyItem(client: Client, path: string): Promise<Json[]> {
  const items: Json[] = [];
  for (let next: string | null = path; next !== null;) {
    const page = await client.get(next);
    if (page.status !== 200) throw new Error(`${next} answered ${page.status}: ${page.text}`);
    items.push(...page.body.items);
    next = page.body.links.next;
  }
  return items;
}

/** The field error codes of a 422, by field. */
export function codes(answer: Answer): Record<string, string> {
  return Object.fromEntries(
    (answer.body.errors ?? []).map((error: Json) => [error.field, error.code]),
  );
}
