import type { CollectionKind } from "./definition/collection.ts";

/** The paths of the API below `apiRoot`, with parameters as `:name`. Declarations, links and examples all use them. */
export const apiRoot = "/api/v1";

export const mePath = "/me";

export function collectionPaths(kind: CollectionKind) {
  const list = `/${kind}s`;
  const collection = `${list}/:key`;
  const items = `${collection}/${kind === "app" ? "records" : "submissions"}`;
  return {
    list,
    collection,
    schema: `${collection}/schema`,
    openApi: `${collection}/openapi.json`,
    changes: `${collection}/changes`,
    items,
    search: `${items}/search`,
    aggregate: `${items}/aggregate`,
    batch: `${items}/batch`,
    validate: `${items}/validate`,
    item: kind === "app" ? `${items}/:id` : "/submissions/:id",
  };
}

const webhook = "/webhooks/:id";

export const webhookPaths = {
  list: "/webhooks",
  webhook,
  deliveries: `${webhook}/deliveries`,
  test: `${webhook}/test`,
  redeliver: `${webhook}/deliveries/:delivery/redeliver`,
};

const file = "/files/:id";

export const filePaths = {
  list: "/files",
  file,
  content: `${file}/content`,
  link: `${file}/link`,
};

/** The URL of a file's content. */
export const contentUrl = (origin: string, id: string): string =>
  origin + apiRoot + fillPath(filePaths.content, { id });

/** Replaces the parameters of a path by their values. A parameter without a value stays as `:name`. */
export function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (parameter, name: string) => values[name] ?? parameter);
}

/** The paths that the documents of an app or form link to. */
export function collectionLinks(kind: CollectionKind, key: string): Record<string, string> {
  const { schema, openApi, items, search } = collectionPaths(kind);
  const name = kind === "app" ? "records" : "submissions";
  const links = { self: schema, openapi: openApi, [name]: items, search };
  return mapValues(links, (path) => fillPath(path, { key }));
}

/** Turns paths below the API's root into URLs of this origin. */
export function toAbsoluteLinks(
  links: Readonly<Record<string, string>>,
  origin: string,
): Record<string, string> {
  return mapValues(links, (path) => origin + apiRoot + path);
}

const mapValues = (record: Readonly<Record<string, string>>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
