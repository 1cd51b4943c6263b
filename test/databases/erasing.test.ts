import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { eraseExpired } from "../../src/actions/retention.ts";
import { workerPorts, workerSettings, type WorkerBindings } from "../../src/platform.ts";
import { createService } from "../../src/service.ts";
import type { Client } from "../support/client";
import {
  bothDatabases,
  first,
  isolate,
  migrate,
  newCaller,
  second,
  useOnly,
  valueOf,
} from "./installation";

const dayMs = 24 * 60 * 60 * 1000;
const runsMs = 5 * 60 * 1000;

let caller: Client;
beforeAll(async () => {
  await migrate();
  caller = await newCaller();
});

/** Creates forms that each have one submission, which expires after a day. */
async function makeForms(database: string, count: number): Promise<void> {
  await useOnly(database);
  const at = isolate(caller);
  for (let index = 0; index < count; index += 1) {
    const key = `${database.toLowerCase()}_${index}`;
    const definition = {
      fields: [{ key: "title", type: "text" }],
      retain: { days: 1, only: "all" },
    };
    expect((await at.put(`/forms/${key}/schema`, definition)).status).toBe(201);
    await at.post(`/forms/${key}/submissions`, { data: { title: "a" } });
  }
}

const left = async () => [
  await valueOf(first, "select count(*) from item"),
  await valueOf(second, "select count(*) from item"),
];

it("erases in at most 30 steps for all databases, and each run starts at another one", async () => {
  await makeForms("DATA_01", 32);
  await makeForms("DATA_02", 5);
  expect(await left()).toEqual([32, 5]);
  const bindings = { ...env, ...bothDatabases } as unknown as WorkerBindings;
  const service = createService(workerPorts(bindings), workerSettings(bindings));
  // The home database, which comes last, has no forms.
  const turn = Math.ceil((Date.now() + 9 * dayMs) / (3 * runsMs)) * 3 + 1;
  const erase = (at: number) => eraseExpired({ ...service, now: () => at });
  await erase(turn * runsMs);
  // A database without further work takes one step.
  expect(await left()).toEqual([32 - (30 - 5 - 1 - 1), 0]);
  await erase((turn + 1) * runsMs);
  expect(await left()).toEqual([0, 0]);
});
