import type { Exchange } from "./record.ts";
import { origin as simulatedOrigin } from "./definitions.ts";

/** Names IDs, cursors and times in their order of appearance, because every service creates its own. */
class Names {
  readonly #names = new Map<string, string>();
  readonly #values = new Map<string, string>();

  readonly #patterns: readonly RegExp[] = [
    /(?:rec|sub)_[0-9A-HJKMNP-TV-Z]{26}/g,
    /(?<=credential:)[0-9A-HJKMNP-TV-Z]{26}/g,
    /(?<=[?&]cursor=)[^"&>]+/g,
  ];

  /** Replaces values that differ between two services by names, and irrelevant values by a mark. */
  normalize(text: string, origin: string): string {
    let normal = text.replaceAll(origin, "").replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"');
    normal = normal.replaceAll(/"request_id":"[^"]+"/g, '"request_id":"ID"');
    for (const [index, pattern] of this.#patterns.entries()) {
      normal = normal.replaceAll(pattern, (value) => this.#nameOf(value, index));
    }
    return normal;
  }

  #nameOf(value: string, kind: number): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const name = `~${kind}.${this.#names.size}~`;
    this.#names.set(value, name);
    this.#values.set(name, value);
    return name;
  }

  /** Replaces names by the values of this service. */
  expand(text: string): string {
    return text.replaceAll(/~\d\.\d+~/g, (name) => this.#values.get(name) ?? name);
  }
}

/** The response of a service to a request of an exchange. */
interface Answered {
  status: number;
  etag: string | null;
  text: string;
}

export type SendExchange = (
  exchange: Pick<Exchange, "credential" | "method" | "path" | "headers"> & { body?: string },
) => Promise<Answered>;

/**
 * The responses of the simulation and of another service to the same request, with names in place of values that may
 * differ.
 */
export interface Compared {
  request: string;
  expected: Answered;
  received: Answered;
}

/** Whether clients should wait: work on a definition or a move of a collection causes temporary responses. */
const isTemporary = ({ status, text }: Answered) =>
  status === 503 || text.includes('"code":"indexing"');

/** The ID of an item that exists from the beginning, in the simulation and in another service. */
export type IdPair = readonly [simulated: string, other: string];

/** Sends the requests of exchanges to another service, one after the other. */
export async function* replay(
  exchanges: readonly Exchange[],
  origin: string,
  send: SendExchange,
  firstItems: readonly IdPair[] = [],
): AsyncGenerator<Compared> {
  const [simulated, other] = [new Names(), new Names()];
  for (const [simulatedId, otherId] of firstItems) {
    simulated.normalize(simulatedId, simulatedOrigin);
    other.normalize(otherId, origin);
  }
  for (const { credential, method, path, headers, body, status, etag, text } of exchanges) {
    const sent = simulated.normalize(JSON.stringify({ path, body }), simulatedOrigin);
    const request = JSON.parse(other.expand(sent)) as { path: string; body?: unknown };
    const content = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
    const ask = () => send({ credential, method, path: request.path, headers, ...content });
    let answer = await ask();
    while (answer.status !== status && isTemporary(answer)) answer = await ask();
    yield {
      request: `${method} ${path}`,
      expected: { status, etag, text: simulated.normalize(text, simulatedOrigin) },
      received: { ...answer, text: other.normalize(answer.text, origin) },
    };
  }
}
