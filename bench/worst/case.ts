import { defaultCredential, issue, Owner } from "../../src/dev/owner.ts";
import type { Call } from "../measure/load.ts";
import type { Service } from "../serve/service.ts";

/** The most costly input of a route that is known, and how it is made. */
export interface WorstCase {
  /** Method and path, as the contract names them. */
  route: string;
  /** How the input is built, in a few words. */
  input: string;
  /** Makes what is to be there before, and gives the requests: one for each turn. */
  prepare: (api: Api) => Promise<(turn: number) => Call>;
  /** Whether what counts is the first request, when nothing has been compiled yet. */
  cold?: boolean;
  /** A download that is written in parts: others come in between, so that its time in all holds up nobody. */
  inParts?: boolean;
}

/** What a form or an app is defined with besides its fields. */
type Rest = Record<string, unknown>;

/** The service, as a credential without narrow limits sees it. */
export class Api {
  readonly #service: Service;
  readonly #token: string;

  private constructor(service: Service, token: string) {
    this.#service = service;
    this.#token = token;
  }

  static async of(service: Service, local: { email: string; password: string }): Promise<Api> {
    const owner = new Owner(service.url(), local, () => undefined);
    const limits = { requests: 100_000, writes: 100_000 };
    const issued = await issue(owner, { ...defaultCredential, ...limits, name: "Worst" });
    if (!("token" in issued)) throw new Error("There is no token.");
    return new Api(service, issued.token);
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

  /** Sends a request that is to succeed, and gives what was answered. */
  async send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const { url, ...call } = this.call(method, path, body);
    const answer = await fetch(url, call);
    if (!answer.ok) throw new Error(`${method} ${path}: ${(await answer.text()).slice(0, 500)}`);
    return (await answer.json()) as Record<string, unknown>;
  }

  define(form: string, fields: readonly object[], rest: Rest = {}) {
    return this.send("PUT", `/forms/${form}/schema`, { fields, ...rest });
  }

  /** Creates a submission, and gives its path. */
  async create(form: string, data: object): Promise<string> {
    const { id } = await this.send("POST", `/forms/${form}/submissions`, { data });
    return `/submissions/${String(id)}`;
  }

  /** Creates so many, one after another. */
  async fill(form: string, count: number, data: (place: number) => object): Promise<void> {
    for (let place = 0; place < count; place += 1) await this.create(form, data(place));
  }
}

export const times = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index));

/** So many fields of one kind. */
export const fieldsOf = (count: number, rest: object, key = (index: number) => `c${index}`) =>
  times(count, (index) => ({ key: key(index), ...rest }));

/** An object with these keys. */
export const dataOf = <T>(count: number, value: (index: number) => T) =>
  Object.fromEntries(times(count, (index) => [`c${index}`, value(index)]));

/** A list of rows. */
export const lines = (fields: readonly object[], rest: object = {}) => ({
  key: "lines",
  type: "line_items",
  fields,
  ...rest,
});
export const emptyRows = times(500, () => ({}));
export const note = (key = "note", rest: object = {}) => ({
  key,
  type: "multiline_text",
  max_length: 100_000,
  ...rest,
});
