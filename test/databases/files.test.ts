import { beforeAll, describe, expect, it } from "vitest";
import { runMoves } from "../../src/actions/run-moves.ts";
import { sweepObjects } from "../../src/store/data/sweep-files.ts";
import { openDatabases, type DataDatabase } from "../../src/store/db/database.ts";
import type { Client } from "../support/client";
import { timing } from "../support/databases";
import { announcement, pdf } from "../support/files";
import { background } from "../support/serve";
import { freshKey } from "../support/service";
import { first, home, isolate, migrate, newCaller, second } from "./installation";
import { finish, letTimePass, phaseOf, request, scheduleContext } from "./moves";

const fields = [{ key: "invoices", type: "files" }];

let several: Client;
beforeAll(async () => {
  await migrate();
  several = isolate(await newCaller());
});

/** Creates a form in this database. */
async function makeFormIn(name: "DATA_01" | "DATA_02"): Promise<string> {
  for (const each of ["DATA_01", "DATA_02"])
    await home
      .prepare("insert or replace into data_database values (?, null, ?)")
      .bind(each, each === name ? 0 : Date.now() + 1e9)
      .run();
  const key = freshKey("placed");
  expect((await isolate(several).put(`/forms/${key}/schema`, { fields })).status).toBe(201);
  return key;
}

const announceLarge = (form: string) =>
  several.post("/files", { ...announcement(`form:${form}`, pdf()), bytes: 90_000_000 });

describe("Files in several databases", () => {
  it("of one credential have at most 1 GB together, also for simultaneous requests", async () => {
    const forms = [await makeFormIn("DATA_01"), await makeFormIn("DATA_02")];
    const announced = async (count: number) => {
      const answers = await Promise.all(
        Array.from({ length: count }, (_, index) => announceLarge(forms[index % 2] ?? "")),
      );
      expect(answers.every(({ status }) => status === 201 || status === 413)).toBe(true);
      return answers.filter(({ status }) => status === 201).length;
    };
    let accepted = await announced(14);
    expect(accepted).toBeLessThanOrEqual(11);
    while ((await announced(1)) === 1) accepted += 1;
    expect(accepted).toBe(11);
    const sums = await Promise.all(
      [first, second].map((db) => db.prepare("select sum(bytes) n from file").first<number>("n")),
    );
    expect((sums[0] ?? 0) + (sums[1] ?? 0)).toBe(11 * 90_000_000);
  });

  it("count once while they move to another database", async () => {
    const form = await makeFormIn("DATA_01");
    const other = isolate(await newCaller());
    const announcing = () =>
      other.post("/files", { ...announcement(`form:${form}`, pdf()), bytes: 90_000_000 });
    for (let count = 0; count < 6; count += 1) expect((await announcing()).status).toBe(201);
    await home.prepare("update data_database set used_from = 0").run();
    await request(`form:${form}`, "DATA_02");
    await runMoves(scheduleContext());
    expect(await phaseOf(`form:${form}`)).toBe("following");
    const copied = "select count(*) n from file where owner = (select max(owner) from file)";
    expect(await second.prepare(copied).first("n")).toBe(6);
    expect((await announcing()).status).toBe(201);
    await letTimePass();
    await finish(`form:${form}`);
  });

  it("keep their objects while their rows move from one database to another", async () => {
    const id = "fil_01ARZ3NDEKTSV4RRFFQ69G5FAX";
    const insert = `insert into file values ('${id}', 1, 1, 'credential:x', 'a', 1, 'x', null, null, null, 1, 9e15)`;
    const { files } = background();
    await files.put(id, "a");
    await second.prepare(insert).run();
    const databases = openDatabases({ home, data: { DATA_01: first, DATA_02: second } }, timing);
    const [one, two] = databases.dataDatabases() as [DataDatabase, DataDatabase];
    let hasMoved = false;
    // The row moves after the first database was asked.
    const moving = Object.assign(Object.create(two) as object, {
      timing,
      prepare: (...query: Parameters<DataDatabase["prepare"]>) => ({
        async all() {
          if (!hasMoved) await first.prepare(insert).run();
          hasMoved = true;
          await second.prepare("delete from file where id = ?").bind(id).run();
          return two.prepare(...query).all();
        },
      }),
    }) as unknown as DataDatabase;
    await sweepObjects(databases, [one, moving], files, Date.now() + 13 * 60 * 60_000);
    expect(await files.head(id)).not.toBeNull();
  });
});
