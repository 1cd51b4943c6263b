import type { Credential } from "../../domain/credential/credential";
import type { CollectionKind } from "../../domain/definition/collection";
import { exampleData } from "../../documents/openapi/example";
import { visibleKeys, type Permission } from "../../domain/credential/permissions";
import { findCollection, listCollections } from "../../store/definitions/collections";

interface Call {
  path: string;
  body?: object;
}

/** A curl line that works with a new credential: a create where it may create, else the best that it may do. */
export async function readyCall(
  db: D1Database,
  origin: string,
  credential: Credential,
  bearer: string,
): Promise<string> {
  const { path, body } = (await tried(db, credential)) ?? { path: "/me" };
  const parts = [
    `curl -s ${quoted(`${origin}/api/v1${path}`)}`,
    `-H ${quoted(`Authorization: Bearer ${bearer}`)}`,
  ];
  if (body) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  return parts.join(" \\\n  ");
}

/** Quotes for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

async function tried(db: D1Database, credential: Credential): Promise<Call | undefined> {
  const has = (permission: Permission) => credential.permissions.includes(permission);
  const kinds = [
    { kind: "form", items: "submissions" },
    { kind: "app", items: "records" },
  ] as const;
  for (const { kind, items } of kinds) {
    if (!has(`${items}:write`) && !has(`${items}:read`)) continue;
    const key = await firstKey(db, kind, credential);
    if (key === undefined) continue;
    const path = `/${kind}s/${key}/${items}`;
    if (!has(`${items}:write`)) return { path: `${path}?limit=5` };
    const now = await findCollection(db, kind, key);
    if (now) return { path, body: { data: exampleData(now.collection.definition.fields.fields) } };
  }
  return undefined;
}

/** The one that was made last: most likely what the credential is for. */
async function firstKey(db: D1Database, kind: CollectionKind, { resources }: Credential) {
  const found = await listCollections(db, kind, visibleKeys(resources, kind), 0, 200);
  return found.at(-1)?.key;
}
