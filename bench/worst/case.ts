import { defaultCredential, issueCredential, Owner } from "../../src/dev/owner.ts";
import type { Call } from "../measure/load.ts";
import type { Service } from "../serve/service.ts";

/** The most expensive known input of a route, and how to build it. */
export interface WorstCase {
  /** The method and the path, as in the API contract. */
  route: string;
  /** A short description of the input. */
  input: string;
  /** Creates the required data. Returns a function that builds the request of each turn. */
  prepare: (api: Api) => Promise<(turn: number) => Call>;
  /** Whether to measure the first request, before anything is compiled. */
  cold?: boolean;
  /** The limit of CPU time of a route that may read more than a page. */
  maxCpuMs?: number;
  /** Whether the response is written in parts. Other requests run in between, so its total CPU time has no limit. */
  inParts?: boolean;
}

/** The members of a definition other than `fields`. */
type CollectionSettings = Record<string, unknown>;

/** Calls the service with a credential that has high limits. */
export class Api {
  readonly #service: Service;
  readonly #token: string;
  readonly #owner: Owner;

  private constructor(service: Service, token: string, owner: Owner) {
    this.#service = service;
    this.#token = token;
    this.#owner = owner;
  }

  static async of(service: Service, account: { email: string; password: string }): Promise<Api> {
    const owner = new Owner(service.url(), account, () => undefined);
    const limits = { requests: 100_000, writes: 100_000 };
    const credential = await issueCredential(owner, {
      ...defaultCredential,
      ...limits,
      name: "Worst",
    });
    if (!("token" in credential)) throw new Error("There is no token.");
    return new Api(service, credential.token, owner);
  }

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Call {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return {
      method,
      url: `${this.#service.url()}/api/v1${path}`,
      headers: {
        Authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: text }),
    };
  }

  /** A POST of the owner to the administration area. The bearer serves the ordinary requests of a measurement. */
  adminCall(path: string, body: string, contentType = "application/json"): Call {
    const { headers } = this.call("POST", "", "");
    return {
      method: "POST",
      url: `${this.#service.url()}/admin${path}`,
      headers: {
        ...headers,
        Accept: "text/html",
        Origin: this.#service.url(),
        Cookie: this.#owner.local.cookie ?? "",
        "Content-Type": contentType,
      },
      body,
    };
  }

  /** Sends a request that must succeed. Returns the response body. */
  async send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const { url, ...call } = this.call(method, path, body);
    const response = await fetch(url, call);
    if (!response.ok)
      throw new Error(`${method} ${path}: ${(await response.text()).slice(0, 500)}`);
    return (await response.json()) as Record<string, unknown>;
  }

  define(form: string, fields: readonly object[], settings: CollectionSettings = {}) {
    return this.send("PUT", `/forms/${form}/schema`, { fields, ...settings });
  }

  /** Creates a submission and returns its path. */
  async create(form: string, data: object): Promise<string> {
    const { id } = await this.send("POST", `/forms/${form}/submissions`, { data });
    return `/submissions/${String(id)}`;
  }

  /** Creates `count` submissions, one after the other. */
  async fill(form: string, count: number, data: (index: number) => object): Promise<void> {
    for (let index = 0; index < count; index += 1) await this.create(form, data(index));
  }
}

export const times = <T>(count: number, build: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => build(index));

/** Builds `count` fields with the same rules. */
export const fieldsOf = (count: number, rules: object, key = (index: number) => `c${index}`) =>
  times(count, (index) => ({ key: key(index), ...rules }));

/** Builds an object with the keys that `fieldsOf` uses by default. */
export const dataOf = <T>(count: number, value: (index: number) => T) =>
  Object.fromEntries(times(count, (index) => [`c${index}`, value(index)]));

/** Builds a field of line items. */
export const lines = (fields: readonly object[], rules: object = {}) => ({
  key: "lines",
  type: "line_items",
  fields,
  ...rules,
});
export const emptyRows = times(500, () => ({}));
export const note = (key = "note", rules: object = {}) => ({
  key,
  type: "multiline_text",
  max_length: 100_000,
  ...rules,
});
