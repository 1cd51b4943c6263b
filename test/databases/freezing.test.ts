import { beforeAll, expect, it } from "vitest";
import { runMoves } from "../../src/actions/run-moves.ts";
import type { Client } from "../support/client";
import { freshKey } from "../support/service";
import {
  databasesOf,
  home,
  isolate,
  migrate,
  newCaller,
  second,
  useOnly,
  valueOf,
} from "./installation";
import { intercepted, letTimePass, phaseOf, request, scheduleContext } from "./moves";

let several: Client;
beforeAll(async () => {
  await migrate();
  several = isolate(await newCaller());
});

it("Writes wait for 11 calls of the schedule when the database of a form changes", async () => {
  const key = freshKey("frozen");
  const path = `/forms/${key}/submissions`;
  await useOnly("DATA_01");
  const fields = [
    { key: "title", type: "text", unique: true },
    { key: "n", type: "number" },
  ];
  expect((await several.put(`/forms/${key}/schema`, { fields })).status).toBe(201);
  await home.prepare("update data_database set used_from = 0").run();
  const create = async (title: string) => {
    const headers = { "Idempotency-Key": `${key}-${title}` };
    const { status, body } = await several.post(path, { data: { title, n: 1 } }, headers);
    expect(status).toBe(201);
    return body.id as string;
  };
  const id = await create("before");
  await request(`form:${key}`, "DATA_02");
  await runMoves(scheduleContext());
  expect(await phaseOf(`form:${key}`)).toBe("following");
  await create("during");
  await letTimePass();

  const calls: string[] = [];
  const onCall = async (sql: string) => {
    calls.push(sql);
    // Clients go on until the freeze itself.
    if (!/^update owner set state = 'frozen'|; update owner set state = 'frozen'/.test(sql)) return;
    await create("last");
    await several.patch(`/submissions/${id}`, { data: { title: "changed" } });
  };
  const dbs = intercepted((sql, run) => onCall(sql).then(run));
  await runMoves(scheduleContext(dbs));
  expect(await phaseOf(`form:${key}`)).toBe("retiring");
  const frozen = calls.findIndex((sql) => sql.includes("set state = 'frozen'"));
  const redirected = calls.findIndex((sql) => sql.includes("update placement set database"));
  expect(frozen).toBeGreaterThan(0);
  expect(calls.slice(frozen, redirected + 1)).toHaveLength(11);
  const titles = "select count(*) from item where data ->> '1' in ('changed', 'during', 'last')";
  expect(await valueOf(second, titles)).toBe(3);
  expect((await several.get(path)).body.items).toHaveLength(3);
  expect(await databasesOf(key)).toContain("DATA_02");
});
