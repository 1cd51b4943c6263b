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
 * A client of one service by one credential. Its calls share the credential's limits, so make one and keep it. `S` is
 * `components["schemas"]` of the OpenAPI document of the apps and forms that it uses (openapi-typescript).
 *
 * @example
 * const client = new EdgeForms({ url: "https://forms.example.com", token: process.env.EDGE_FORMS_TOKEN });
 * const order = await client.records("orders").create({ customer: "Yamada" });
 */
export class EdgeForms<S = unknown> {
  readonly #transport: Transport;

  constructor(options: Options) {
    this.#transport = new Transport(options);
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
   * Any other route below `/api/v1`. GET, HEAD, PUT, and what carries an Idempotency-Key are sent again after a failure;
   * the others only where the service said that it did nothing.
   */
  async request<T = unknown>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<T> {
    const reads = method === "GET" || method === "HEAD";
    const keyed = new Headers(options.headers).has("Idempotency-Key");
    const safe = reads || method === "PUT" || keyed;
    const lane = reads ? "read" : "write";
    return (await this.#transport.send({ ...options, method, path, lane, safe })).body as T;
  }
}
