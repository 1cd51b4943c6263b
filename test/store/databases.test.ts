import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  type CollectionDatabase,
  type Databases,
  type HomeDatabase,
  type SingleDatabase,
  batchQueries,
  query,
  openDatabases,
} from "../../src/store/db/database.ts";
import { auditEntry, collection, credential, webhook } from "../../src/store/db/schema.ts";
import {
  collectionStatement,
  dataStatement,
  homeStatement,
  jointStatement,
  sharedStatement,
} from "../../src/store/db/statement.ts";
import { databases, dataHandle, dataDb, homeDb, timing } from "../support/databases";

const findCredential = homeStatement<{ id: string }>((db, v) =>
  db.select({ id: credential.id }).from(credential).where(eq(credential.id, v.id)),
);
const findHead = collectionStatement<{ known: string }>((db, v) =>
  db
    .select({ id: sql<number>`${v.collectionId}`.as("id"), known: sql`${v.known}`.as("known") })
    .from(sql`(select 1)`),
);
const findKeys = dataStatement<object>((db) => db.select({ key: collection.key }).from(collection));
const findListened = jointStatement<object>((db) =>
  db.select({ id: webhook.id }).from(webhook).innerJoin(collection, eq(collection.listened, 1)),
);
const findActs = sharedStatement<object>((db) => db.select({ id: auditEntry.id }).from(auditEntry));

/** Each of these is an error of the compiler; none of them runs. */
export async function mistakes(
  { home, of, named }: Databases,
  single: SingleDatabase,
  other: D1Database,
): Promise<void> {
  const at: CollectionDatabase = of({ id: 1 });
  // @ts-expect-error a home statement in a data database
  findCredential(at, { id: "x" });
  // @ts-expect-error a data statement in the home database
  findHead(home, { known: "{}" });
  // @ts-expect-error a data statement in the home database
  findKeys(home, {});
  // @ts-expect-error a statement of one collection in a database of many
  findHead(named("app", "x"), { known: "{}" });
  // @ts-expect-error a statement that joins both scopes in a database of one
  findListened(home, {});
  // @ts-expect-error a statement that joins both scopes in a batch of one
  await home.batch([findListened(single, {})]);
  // @ts-expect-error statements of two scopes in one batch
  await at.batch([findHead(at, { known: "{}" }), findCredential(home, { id: "x" })]);
  // @ts-expect-error another collection than that of the handle
  findHead(at, { known: "{}", collectionId: 7 });
  // @ts-expect-error a bare database
  findHead(other, { known: "{}" });
  // @ts-expect-error a bare database
  findCredential(other, { id: "x" });
  // @ts-expect-error a query of data tables in a batch of the home database
  await batchQueries(home, [query(at, (on) => on.select().from(collection))]);
  // @ts-expect-error a data database where the home database is asked for
  const wrong: HomeDatabase = at;
  await wrong.batch([findActs(home, {})]);
}

describe("Databases of two scopes", () => {
  it("take the collection of a statement from the handle", async () => {
    const at = databases.of({ id: 3 });
    const [found] = await at.batch([findHead(at, { known: "{}" })]);
    expect(found?.results).toEqual([{ id: 3, known: "{}" }]);
  });

  it("take statements of both scopes, and of tables that both have, in one batch where they are one", async () => {
    const { singleDatabase, home } = openDatabases({ home: homeDb }, timing);
    const mixed = singleDatabase && [
      findCredential(home, { id: "x" }),
      findActs(singleDatabase, {}),
    ];
    expect(mixed).toHaveLength(2);
    const apart = openDatabases({ home: homeDb, data: { DATA_01: dataDb } }, timing);
    expect(apart.singleDatabase).toBeNull();
  });

  it("refuse a batch of two collections", () => {
    const [one, other] = [databases.of({ id: 1 }), databases.of({ id: 2 })];
    const foreign = findHead(other, { known: "{}" });
    expect(() => one.batch([foreign])).toThrow("A statement of collection 2, not 1.");
    const mixed = [findHead(one, { known: "{}" }), foreign];
    expect(() => dataHandle.batch(mixed)).toThrow("A statement of collection 2, not 1.");
  });

  it("refuse a statement that was made for another database or session", () => {
    const session = openDatabases({ home: homeDb }, timing).openSession("first-unconstrained");
    const own = session.databases.of({ id: 1 });
    const foreign = findHead(databases.of({ id: 1 }), { known: "{}" });
    expect(() => own.batch([foreign])).toThrow("A statement of another database.");
  });
});
