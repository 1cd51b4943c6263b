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

/** A schema document as the service tells it. */
export interface SchemaDocument {
  schema_version: number;
  pending?: { done: number; total: number; problem?: { detail?: string } };
  fields: Field[];
  [member: string]: unknown;
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

/** Credentials come from the environment: arguments can be seen by every user of a machine. */
export function connect(env: NodeJS.ProcessEnv): Service {
  const { EDGE_FORMS_URL: url, EDGE_FORMS_TOKEN: token } = env;
  const { EDGE_FORMS_CLIENT_ID: clientId, EDGE_FORMS_CLIENT_SECRET: clientSecret } = env;
  if (!url) throw new Failure("Set EDGE_FORMS_URL to the address of the service.");
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !/^https?:$/.test(address.protocol) || /\/api\/v1\/*$/.test(address.pathname)) {
    throw new Failure(
      `EDGE_FORMS_URL is ${JSON.stringify(url)}; it has to be like https://forms.example.com, without /api/v1.`,
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

export const schemaPath = ({ kind, key }: Named): string =>
  `/${kind}s/${encodeURIComponent(key)}/schema`;

/** The definition as it is, if there is one that the credential may see. */
export async function definitionOf(
  { client }: Service,
  named: Named,
): Promise<SchemaDocument | undefined> {
  // What is decided by it is decided by the present, not by what a replica still has.
  const headers = { "Cache-Control": "no-cache" };
  try {
    return await client.request<SchemaDocument>("GET", schemaPath(named), { headers });
  } catch (error) {
    if (error instanceof EdgeFormsError && error.status === 404) return undefined;
    throw error;
  }
}

/** All apps and forms that the credential may see. */
export async function visible({ client }: Service): Promise<Named[]> {
  const found: Named[] = [];
  for (const kind of ["app", "form"] as const) {
    for (let cursor: string | undefined; ;) {
      const query = { limit: 200, cursor };
      const page = await client.request<Page>("GET", `/${kind}s`, { query });
      found.push(...page.items.map(({ key }) => ({ kind, key })));
      if (page.links.next === null) break;
      cursor = new URL(page.links.next).searchParams.get("cursor") ?? undefined;
    }
  }
  return found;
}

interface Page {
  items: { key: string }[];
  links: { next: string | null };
}

export function itemsOf({ client }: Service, { kind, key }: Named): Collection<Item, Untyped> {
  const items = kind === "app" ? client.records(key) : client.submissions(key);
  return items as unknown as Collection<Item, Untyped>;
}
