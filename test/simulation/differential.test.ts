import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "../dev/server.ts";
import { root } from "./bundle.ts";
import { collections, definitionOf } from "./definitions.ts";
import type { Exchange } from "./record.ts";
import { replay, type SendExchange } from "./replay.ts";

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
      const answer = await send({ credential: 0, method: "PUT", path, headers: {}, body });
      if (answer.status !== 201) throw new Error(answer.text);
    }
  }, 180_000);
  afterAll(() => server.remove());

  const send: SendExchange = async ({ credential, method, path, headers, body }) => {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        Accept: "application/json",
        Authorization: `Bearer ${tokens[credential]}`,
        ...headers,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const etag = response.headers.get("ETag")?.replace(/^W\//, "") ?? null;
    return { status: response.status, etag, text: await response.text() };
  };

  it("answer the requests of a plan alike", async () => {
    const command = ["--js-base-64", `${root}test/simulation/simulate.ts`];
    const options = ["--exchanges", "--seed", "1", "--steps", "400"];
    const { stdout } = await promisify(execFile)(process.execPath, [...command, ...options], {
      maxBuffer: 100_000_000,
    });
    const exchanges = JSON.parse(stdout) as Exchange[];
    expect(exchanges.length).toBeGreaterThan(100);
    for await (const { request, received, expected } of replay(exchanges, server.url, send))
      expect({ request, ...received }).toEqual({ request, ...expected });
  });
});
