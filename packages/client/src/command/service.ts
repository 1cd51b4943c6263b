import type { Collection } from "../collection.ts";
import { EdgeForms, EdgeFormsError, type RecordItem, type SubmissionItem } from "../index.ts";
import type { Untyped } from "../types.ts";
import { Failure } from "./failure.ts";

export type Kind = "app" | "form";

/** An app or a form. */
export interface Named {
  kind: Kind;
  key: string;
}

export type Item = RecordItem | SubmissionItem;

/** A schema document as the service returns it. */
export interface SchemaDocument {
  schema_version: number;
  pending?: { done: number; total: number; problem?: { detail?: string } };
  fields: Field[];
  [member: string]: unknown;
}

/** The effects of a definition that a dry run reports. */
export interface Consequences {
  outcome: "created" | "changed" | "unchanged" | "pending";
  hidden_fields: string[];
  recalculated_items: number;
  reindexed_items: number;
  checked_items: number;
}

export interface Field {
  key: string;
  type: string;
  fields?: Field[];
  [member: string]: unknown;
}

export interface Service {
  url: string;
  client: EdgeForms;
}

/** Reads credentials from the environment, because every user of a machine can see command-line arguments. */
export function connect(env: NodeJS.ProcessEnv): Service {
  const { EDGE_FORMS_URL: url, EDGE_FORMS_TOKEN: token } = env;
  const { EDGE_FORMS_CLIENT_ID: clientId, EDGE_FORMS_CLIENT_SECRET: clientSecret } = env;
  if (!url) throw new Failure("Set EDGE_FORMS_URL to the address of the service.");
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !/^https?:$/.test(address.protocol) || /\/api\/v1\/*$/.test(address.pathname)) {
    throw new Failure(
      `EDGE_FORMS_URL is ${JSON.stringify(url)}. Set it to an address like https://forms.example.com, without /api/v1.`,
    );
  }
  if (token) return { url, client: new EdgeForms({ url, token }) };
  if (!clientId || !clientSecret) {
    const names = "EDGE_FORMS_CLIENT_ID and EDGE_FORMS_CLIENT_SECRET";
    throw new Failure(`Set EDGE_FORMS_TOKEN, or ${names}.`);
  }
  return { url, client: new EdgeForms({ url, credentials: { clientId, clientSecret } }) };
}

export const nameOf = ({ kind, key }: Named): string => `${kind} ${key}`;

export const itemCount = (count: number): string =>
  `${count.toLocaleString("en")} ${count === 1 ? "item" : "items"}`;

export const schemaPath = ({ kind, key }: Named): string =>
  `/${kind}s/${encodeURIComponent(key)}/schema`;

/** Returns the current definition, or undefined if the credential cannot see one. */
export async function definitionOf(
  { client }: Service,
  collection: Named,
): Promise<SchemaDocument | undefined> {
  // The caller decides by the current definition, so the read goes to the primary.
  const headers = { "Cache-Control": "no-cache" };
  try {
    return await client.request<SchemaDocument>("GET", schemaPath(collection), { headers });
  } catch (error) {
    if (error instanceof EdgeFormsError && error.status === 404) return undefined;
    throw error;
  }
}

/** Lists all apps and forms that the credential can see. */
export async function visible({ client }: Service): Promise<Named[]> {
  const collections: Named[] = [];
  for (const kind of ["app", "form"] as const) {
    for (let cursor: string | undefined; ;) {
      const query = { limit: 200, cursor };
      const page = await client.request<Page>("GET", `/${kind}s`, { query });
      collections.push(...page.items.map(({ key }) => ({ kind, key })));
      if (page.links.next === null) break;
      cursor = new URL(page.links.next).searchParams.get("cursor") ?? undefined;
    }
  }
  return collections;
}

interface Page {
  items: { key: string }[];
  links: { next: string | null };
}

export function itemsOf({ client }: Service, { kind, key }: Named): Collection<Item, Untyped> {
  const items = kind === "app" ? client.records(key) : client.submissions(key);
  return items as unknown as Collection<Item, Untyped>;
}
