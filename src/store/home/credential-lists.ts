import {
  batchHomeAndData,
  batchQueries,
  query,
  type Database,
  type Databases,
  type HomeDatabase,
  type SingleDatabase,
} from "#store/db/database.ts";
import {
  and,
  eq,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  desc,
  sql,
  type Column,
  type SQL,
} from "drizzle-orm";
import type {
  Credential,
  CredentialKind,
  CredentialStateFilter,
} from "#domain/credential/credential.ts";
import { isOwnColumn } from "#store/db/lists.ts";
import { retryTransient } from "#store/db/retry.ts";
import { credential } from "#store/db/home-schema.ts";
import { findWithLabels, type StoredLabels } from "./collection-labels.ts";
import type { LabelChoice } from "./label-sql.ts";
import { credentialFromRow, findCredential, selectCredentials } from "./credentials.ts";
import type { CollectionKind, Collection } from "#domain/definition/collection.ts";
import { collection } from "#store/db/schema.ts";
import {
  definitionHeadColumns,
  definitionHeadFromRow,
  type DefinitionHeadRow,
} from "#store/data/definition-head.ts";

export interface CredentialFilter {
  /** The member whose credentials to list. Null lists the credentials of all members. */
  memberId: string | null;
  kind?: CredentialKind | undefined;
  state: CredentialStateFilter;
  /** Milliseconds since 1970. */
  now: number;
  /** Credentials that expire before this time count as ending soon. */
  soonUntil: number;
}

function stateCondition({ state, now, soonUntil }: CredentialFilter) {
  switch (state) {
    case "current":
      return isNull(credential.revokedAt);
    case "ends_soon":
      return and(
        isNull(credential.revokedAt),
        gt(credential.expiresAt, now),
        lt(credential.expiresAt, soonUntil),
      );
    case "expired":
      return and(isNull(credential.revokedAt), lte(credential.expiresAt, now));
    case "revoked":
      return isNotNull(credential.revokedAt);
    case "all":
      return undefined;
  }
}

/** Lists a page of credentials, newest first. `before` is the last id of the previous page. */
export async function listCredentials(
  db: HomeDatabase,
  filter: CredentialFilter,
  before: string | null,
  limit: number,
): Promise<Credential[]> {
  const { memberId, kind } = filter;
  const rows = await retryTransient(db, () =>
    selectCredentials(
      db,
      and(
        stateCondition(filter),
        memberId === null ? undefined : eq(credential.memberId, memberId),
        kind === undefined ? undefined : eq(credential.kind, kind),
        before === null ? undefined : lt(credential.id, before),
      ),
      limit,
    ),
  );
  return rows.map(credentialFromRow);
}

const maxCredentialsPerMember = 1000;

/**
 * Lists the credentials of a member that were neither revoked nor expired before `since`. A member can have thousands of
 * expired ones.
 */
export async function listMemberCredentials(
  db: HomeDatabase,
  memberId: string,
  since: number,
): Promise<Credential[]> {
  const isListedSql = and(
    or(isNull(credential.revokedAt), gte(credential.revokedAt, since)),
    or(isNull(credential.expiresAt), gt(credential.expiresAt, since)),
  );
  const rows = await retryTransient(db, () =>
    selectCredentials(
      db,
      and(eq(credential.memberId, memberId), isListedSql),
      maxCredentialsPerMember,
    ),
  );
  return rows.map(credentialFromRow);
}

/** Loads a credential and the labels of all apps and forms (`findWithLabels`). */
export function findCredentialWithLabels(
  databases: Databases,
  id: string,
  choice: LabelChoice | null,
): Promise<{ found: Credential; stored: StoredLabels } | undefined> {
  return findWithLabels(
    databases,
    {
      select: (db) => selectCredentials(db, eq(credential.id, id), 1),
      fromRow: credentialFromRow,
      resourcesOf: ({ resources }) => resources,
      resourcesSql: sql`(select resources from credential where id = ${id})`,
    },
    choice,
  );
}

/** The newest form and the newest app that a credential can access. */
export interface ExampleCollections {
  form: Collection | undefined;
  app: Collection | undefined;
}

const resourcesAllowSql = (
  resources: SQL | Column,
) => sql`${collection.id} > 0 and (${resources} = '"all"' or exists (
    select 1 from json_each(${resources})
    where substr(value, 1, instr(value || '/', '/') - 1) = ${collection.kind} || ':' || ${collection.key}))`;

/** Selects the newest app or form that a credential can access. */
function selectExampleCollection(db: SingleDatabase, id: string, kind: CollectionKind) {
  return query(db, (builder) =>
    builder
      .select(definitionHeadColumns(sql`'{}'`))
      .from(collection)
      .innerJoin(
        credential,
        and(eq(credential.id, id), resourcesAllowSql(sql`${credential.resources}`)),
      )
      .where(eq(collection.kind, kind))
      .orderBy(desc(collection.id))
      .limit(1),
  );
}

/** Selects the newest app or form among these resources, for a credential in another database. */
function selectExampleByResources(db: Database<"data">, resources: string, kind: CollectionKind) {
  return query(db, (builder) =>
    builder
      .select({ isOwn: isOwnColumn("collection.id"), ...definitionHeadColumns(sql`'{}'`) })
      .from(collection)
      .where(and(eq(collection.kind, kind), resourcesAllowSql(sql`${resources}`)))
      .orderBy(desc(collection.id))
      .limit(1),
  );
}

/** Loads a credential with example collections. Takes one round trip with a single database, otherwise two. */
export async function findCredentialWithExamples(
  databases: Databases,
  id: string,
): Promise<{ credential: Credential | undefined; examples: ExampleCollections }> {
  const { singleDatabase, home } = databases;
  if (!singleDatabase) {
    const foundCredential = await findCredential(home, id);
    const examples =
      foundCredential && (await findExamples(databases, JSON.stringify(foundCredential.resources)));
    return {
      credential: foundCredential,
      examples: examples ?? { form: undefined, app: undefined },
    };
  }
  const [[row], [form], [app]] = await retryTransient(singleDatabase, () =>
    batchQueries(singleDatabase, [
      selectCredentials(home, eq(credential.id, id), 1),
      selectExampleCollection(singleDatabase, id, "form"),
      selectExampleCollection(singleDatabase, id, "app"),
    ]),
  );
  return {
    credential: row && credentialFromRow(row),
    examples: { form: collectionFromHead(form), app: collectionFromHead(app) },
  };
}

async function findExamples(databases: Databases, resources: string): Promise<ExampleCollections> {
  const [, [forms, apps]] = await retryTransient(databases, () =>
    batchHomeAndData(
      databases,
      () => [],
      (db) => [
        selectExampleByResources(db, resources, "form"),
        selectExampleByResources(db, resources, "app"),
      ],
    ),
  );
  const newest = (lists: typeof forms) =>
    lists
      .merge((row) => row.collection_id)
      .toSorted((a, b) => b.collection_id - a.collection_id)[0];
  return { form: collectionFromHead(newest(forms)), app: collectionFromHead(newest(apps)) };
}

function collectionFromHead(row: DefinitionHeadRow | undefined): Collection | undefined {
  return (row && definitionHeadFromRow(row).freshCollection?.collection) ?? undefined;
}
