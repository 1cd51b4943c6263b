import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { sweepStorage } from "../../src/schedule.ts";
import { openDatabases } from "../../src/store/db/database.ts";
import { timing } from "../support/databases";
import { background } from "../support/serve";
import { first, home, migrate } from "./installation";

beforeAll(migrate);

/** A D1 database that counts the statements that it prepares. */
function counting(db: D1Database, counts: { queries: number }): D1Database {
  const prepare = (text: string) => {
    counts.queries += 1;
    return db.prepare(text);
  };
  return { prepare, batch: db.batch.bind(db) } as unknown as D1Database;
}

it("A sweep of 80 databases with backlogs takes at most 1,000 queries, and does all kinds of work", async () => {
  const fields = Array.from({ length: 400 }, (_, index) => index + 1);
  const plant = "insert into former_entry select value from json_each(?)";
  await first.prepare(plant).bind(JSON.stringify(fields)).run();
  const id = "fil_01ARZ3NDEKTSV4RRFFQ69G5FAY";
  await first.prepare("insert into removed_file values (1, ?)").bind(id).run();
  const { FILES: files } = env;
  await files.put(id, "stored after the removal");

  const counts = { queries: 0 };
  const client = counting(first, counts);
  const names = Array.from({ length: 80 }, (_, index) => `DATA_${10 + index}`);
  const data = Object.fromEntries(names.map((name) => [name, client]));
  const databases = openDatabases({ home: counting(home, counts), data }, timing);
  await sweepStorage(background(databases), Date.now());
  expect(counts.queries).toBeLessThanOrEqual(1000);
  expect(await files.head(id)).toBeNull();
  const left = await first.prepare("select count(*) n from former_entry").first<number>("n");
  expect(left).toBeLessThan(400);
});
