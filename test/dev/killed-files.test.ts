import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Miniflare } from "miniflare";
import { serviceOf } from "./built-service.ts";
import { ensureBundle } from "./built.ts";
import { sized } from "../support/size.ts";
import { caller, Server, type Answer, type Call } from "./server.ts";

/** The service is killed more often in `npm run test:all`. */
const kills = sized(2, 5);
const clients = 4;
const minute = 60_000;
const day = 24 * 60 * minute;

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const below = (limit: number) => Math.floor(Math.random() * limit);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A client that uploads, attaches, replaces and deletes until the service is killed. */
class Uploader {
  readonly #call: Call;
  readonly #token: string;
  readonly #url: string;
  /** The files that a response confirmed, by submission. */
  readonly confirmed = new Map<string, string[]>();
  /** The submissions whose last request has no response, so that both outcomes are right. */
  readonly uncertain = new Set<string>();
  steps = 0;
  /** Responses that no kill explains. */
  readonly unexpected: string[] = [];

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
    this.#call = caller(url, token);
  }

  /** Works until a request fails, which happens when the service is killed. */
  async run(): Promise<void> {
    for (;;) {
      try {
        await this.#step();
        this.steps += 1;
      } catch (error) {
        // `fetch` throws a TypeError when the connection ends.
        if (!(error instanceof TypeError)) this.unexpected.push(String(error));
        return;
      }
    }
  }

  async #upload(): Promise<string> {
    const bytes = new Uint8Array(randomBytes(1000 + below(400_000)));
    const announcement = { collection: "form:killed", field: "scans", name: "a.bin" };
    const { body } = await this.#send("POST", "/files", {
      ...announcement,
      bytes: bytes.length,
      sha256: sha256(bytes),
    });
    const response = await fetch(`${this.#url}/api/v1/files/${body.id}/content`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${this.#token}` },
      body: bytes,
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
    return body.id as string;
  }

  async #send(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.#call(method, path, body);
    if (answer.status >= 300) throw new Error(answer.text);
    return answer;
  }

  async #step(): Promise<void> {
    const id = await this.#upload();
    const [submission] = [...this.confirmed.keys()].filter((key) => !this.uncertain.has(key));
    const action = below(5);
    if (action === 0) return void (await this.#send("DELETE", `/files/${id}`));
    if (action === 1 && submission) return this.#change(submission, "PATCH", [id]);
    if (action === 2 && submission) return this.#change(submission, "DELETE");
    const { body } = await this.#send("POST", "/forms/killed/submissions", {
      data: { scans: [id] },
    });
    this.confirmed.set(body.id, [id]);
  }

  async #change(submission: string, method: "PATCH" | "DELETE", scans?: string[]): Promise<void> {
    this.uncertain.add(submission);
    await this.#send(method, `/submissions/${submission}`, scans && { data: { scans } });
    this.uncertain.delete(submission);
    if (scans) this.confirmed.set(submission, scans);
    else this.confirmed.delete(submission);
  }
}

const server = new Server("killable");
let token: string;
beforeAll(async () => {
  await server.start();
  ({ token } = await server.credential("--requests", "100000", "--writes", "100000"));
  const fields = [{ key: "scans", type: "files" }];
  await caller(server.url, token)("PUT", "/forms/killed/schema", { name: "Killed", fields });
});
afterAll(() => server.remove());

interface FileRow {
  id: string;
  item: number | null;
  detached: number | null;
  sha256: string;
}

/** Runs the schedule as it will run in two days, when everything that nothing needs is due. */
async function runSchedule(service: Miniflare): Promise<void> {
  const worker = await service.getWorker();
  const start = Math.ceil((Date.now() + 2 * day) / (5 * minute)) * 5 * minute;
  for (const turn of [0, 2, 5])
    await worker.scheduled({ cron: "* * * * *", scheduledTime: new Date(start + turn * minute) });
}

it("loses no file of an item, and leaves no object without a row, when it is killed at any moment", async () => {
  const uploaders = Array.from({ length: clients }, () => new Uploader(server.url, token));
  const countSteps = () => uploaders.reduce((sum, { steps }) => sum + steps, 0);
  for (let kill = 0; kill < kills; kill += 1) {
    const running = uploaders.map((uploader) => uploader.run());
    const enough = countSteps() + clients;
    while (countSteps() < enough) await pause(5);
    await pause(below(80));
    await server.kill();
    await Promise.all(running);
    if (kill + 1 < kills) await server.start();
  }
  expect(uploaders.flatMap(({ unexpected }) => unexpected)).toEqual([]);

  const service = serviceOf(ensureBundle(), server.folder);
  try {
    await service.ready;
    const [db, bucket] = [await service.getD1Database("DB"), await service.getR2Bucket("FILES")];
    await runSchedule(service);
    const { results: rows } = await db.prepare("select * from file").all<FileRow>();
    const { objects } = await bucket.list();
    expect(objects.map(({ key }) => key).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    expect(rows.filter(({ item }) => item === null)).toEqual([]);
    for (const { id, sha256: digest } of rows) {
      const object = await bucket.get(id);
      expect(sha256(new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer()))).toBe(
        digest,
      );
    }
    const { results: items } = await db
      .prepare("select id, number, data from item where id like 'sub_%'")
      .all<{ id: string; number: number; data: string }>();
    const owners = new Map(rows.map(({ id, item }) => [id, item]));
    const stored = new Map<string, string[]>();
    for (const { id, number, data } of items) {
      const files = [...data.matchAll(/fil_\w{26}/g)].map(([file]) => file);
      stored.set(id, files);
      expect(files.map((file) => owners.get(file))).toEqual(files.map(() => number));
    }
    for (const { confirmed, uncertain } of uploaders)
      for (const [submission, files] of confirmed)
        if (!uncertain.has(submission)) expect(stored.get(submission)).toEqual(files);
  } finally {
    await service.dispose();
  }
}, 120_000);
