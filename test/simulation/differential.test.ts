import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "../dev/server.ts";
import { root } from "./bundle.ts";
import { collections, definitionOf } from "./definitions.ts";
import type { Exchange } from "./record.ts";

/** Names IDs, cursors and times by their order of appearance, because every service makes its own. */
class Names {
  readonly #names = new Map<string, string>();
  readonly #values = new Map<string, string>();

  readonly #patterns: readonly RegExp[] = [
    /(?:rec|sub)_[0-9A-HJKMNP-TV-Z]{26}/g,
    /(?<=credential:)[0-9A-HJKMNP-TV-Z]{26}/g,
    /(?<=[?&]cursor=)[^"&>]+/g,
  ];

  /** Replaces what differs between two services by names, and what never matters by a mark. */
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

const simulatedOrigin = "https://forms.example";

describe("the simulated platform and workerd", { timeout: 180_000 }, () => {
  const server = new Server();
  let tokens: string[];
  beforeAll(async () => {
    await server.start();
    const limits = ["--requests", "100000", "--writes", "100000"];
    tokens = [];
    for (let count = 0; count < 4; count += 1) {
      tokens.push((await server.credential(...limits)).token);
    }
    for (const { kind, key, settings } of collections) {
      const path = `/api/v1/${kind}s/${key}/schema`;
      const body = JSON.stringify(definitionOf(key, settings));
      const answer = await send(0, "PUT", path, { "Content-Type": "application/json" }, body);
      if (answer.status !== 201) throw new Error(answer.text);
    }
  }, 180_000);
  afterAll(() => server.remove());

  async function send(
    credential: number,
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ) {
    const url = path.startsWith("http") ? path : server.url + path;
    const authorization = { Authorization: `Bearer ${tokens[credential]}` };
    const response = await fetch(url, {
      method,
      headers: { Accept: "application/json", ...authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const etag = response.headers.get("ETag")?.replace(/^W\//, "") ?? null;
    return { status: response.status, etag, text: await response.text() };
  }

  it("answer the requests of a plan alike", async () => {
    const command = ["--js-base-64", `${root}test/simulation/simulate.ts`];
    const options = ["--exchanges", "--seed", "1", "--steps", "400"];
    const { stdout } = await promisify(execFile)(process.execPath, [...command, ...options], {
      maxBuffer: 100_000_000,
    });
    const exchanges = JSON.parse(stdout) as Exchange[];
    const [simulated, real] = [new Names(), new Names()];
    expect(exchanges.length).toBeGreaterThan(100);
    for (const { credential, method, path, headers, body, status, etag, text } of exchanges) {
      const sent = simulated.normalize(JSON.stringify({ path, body }), simulatedOrigin);
      const request = JSON.parse(real.expand(sent)) as { path: string; body?: unknown };
      const content = request.body === undefined ? undefined : JSON.stringify(request.body);
      const type = content === undefined ? {} : { "Content-Type": "application/json" };
      const ask = () => send(credential, method, request.path, { ...headers, ...type }, content);
      let answer = await ask();
      // Here, the work behind a definition may take longer than the next request.
      while (answer.status !== status && answer.text.includes('"code":"indexing"')) {
        answer = await ask();
      }
      const expected = { status, etag, text: simulated.normalize(text, simulatedOrigin) };
      expect(
        { ...answer, text: real.normalize(answer.text, server.url) },
        `${method} ${path}`,
      ).toEqual(expected);
    }
  });
});
