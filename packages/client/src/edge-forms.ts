import { Files } from "./files.ts";
import { Records } from "./records.ts";
import { Submissions } from "./submissions.ts";
import { Transport, type Options } from "./transport.ts";
import type { CallOptions, ShapeOf } from "./types.ts";

export interface RequestOptions extends CallOptions {
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
}

/**
 * A client for one service and one credential. Calls share the credential's limits, so create one client and reuse it.
 * `S` is `components["schemas"]` as openapi-typescript generates it from the service's OpenAPI document.
 *
 * @example
 * const client = new EdgeForms({ url: "https://forms.example.com", token: process.env.EDGE_FORMS_TOKEN });
 * const order = await client.records("orders").create({ customer: "Yamada" });
 */
export class EdgeForms<S = unknown> {
  readonly #transport: Transport;
  /** The attachments of items. */
  readonly files: Files;

  constructor(options: Options) {
    this.#transport = new Transport(options);
    this.files = new Files(this.#transport);
  }

  /** The records of an app. */
  records<Key extends string>(app: Key): Records<ShapeOf<"Record", S, Key>> {
    return new Records(this.#transport, app);
  }

  /** The submissions of a form. */
  submissions<Key extends string>(form: Key): Submissions<ShapeOf<"Submission", S, Key>> {
    return new Submissions(this.#transport, form);
  }

  /**
   * Calls any other route below `/api/v1`. After a failure, the client retries GET, HEAD, PUT and requests with an
   * Idempotency-Key. It retries other requests only if the service reported that it did nothing.
   */
  async request<T = unknown>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<T> {
    const isRead = method === "GET" || method === "HEAD";
    const hasKey = new Headers(options.headers).has("Idempotency-Key");
    const safe = isRead || method === "PUT" || hasKey;
    const lane = isRead ? "read" : "write";
    return (await this.#transport.send({ ...options, method, path, lane, safe })).body as T;
  }
}
