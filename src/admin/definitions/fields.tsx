import { Hono, type Context } from "hono";
import { judgeDefinition } from "../../domain/definition/judge";
import type { CollectionKind } from "../../domain/definition/collection";
import { problem, Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { able, answerDone, attempted } from "../frame/answers";
import { readSent } from "../frame/negotiate";
import { numberOf, textOf, type Sent } from "../frame/sent";
import { current, documentOf, save, type Document, type FieldDocument } from "./context";
import { words } from "./words";
import { fieldOf, located, types } from "./field-input";
import { FieldPage } from "./field-page";

/** The fields of a definition, one at a time. */
export const fieldRoutes = (kind: CollectionKind) =>
  new Hono<AdminEnv>()
    .use(able("define"))
    .get("/new", async (c) => {
      const document = documentOf(await current(c, kind, keyOf(c)));
      const type = typeOf(c.req.query("type"));
      const sent = { searchable: true, result: "number", max_rows: 500 };
      return c.html(
        <FieldPage
          {...{
            c,
            kind,
            document,
            type,
            within: c.req.query("within") || undefined,
            path: undefined,
            sent,
          }}
        />,
      );
    })
    .get("/:path", async (c) => {
      const document = documentOf(await current(c, kind, keyOf(c)));
      const { field, within, path } = fieldAt(document, c.req.param("path"));
      return c.html(
        <FieldPage {...{ c, kind, document, type: field.type, within, path, sent: field }} />,
      );
    })
    .post("/", (c) => put(c, kind, undefined))
    .post("/:path", (c) => put(c, kind, c.req.param("path")))
    .post("/:path/move", (c) =>
      edit(c, kind, ({ list, index }, sent) => {
        const to = index + (sent["direction"] === "up" ? -1 : 1);
        const [moved] = list.splice(index, 1);
        if (moved) list.splice(Math.max(0, to), 0, moved);
      }),
    )
    .post("/:path/remove", (c) => edit(c, kind, ({ list, index }) => void list.splice(index, 1)));

const keyOf = (c: Context<AdminEnv>) => c.req.param("key") ?? "";

function typeOf(sent: unknown): string {
  const found = types.find(([type]) => type === sent)?.[0];
  if (!found) throw problem.notFound();
  return found;
}

function fieldAt(document: Document, path: string) {
  const place = located(document.fields, path);
  const field = place?.list[place.index];
  if (!place || !field) throw problem.notFound();
  return { ...place, field, within: place.within?.key, path };
}

/** The document with the field that was sent in its place; what was sent stays at hand for another try. */
function withField(document: Document, sent: Sent, path: string | undefined): Document {
  if (path !== undefined) {
    const { list, index, field, within } = fieldAt(document, path);
    list[index] = fieldOf(sent, field.type, within !== undefined, field);
    return document;
  }
  const within = sent["within"] === undefined ? undefined : textOf(sent["within"]);
  const list = within === undefined ? document.fields : columnsOf(document, within);
  list.push(fieldOf(sent, typeOf(sent["type"]), within !== undefined));
  return document;
}

function columnsOf(document: Document, path: string): FieldDocument[] {
  const { field } = fieldAt(document, path);
  if (field.type !== "line_items") throw problem.notFound();
  return field["fields"] as FieldDocument[];
}

function put(c: Context<AdminEnv>, kind: CollectionKind, path: string | undefined) {
  const base = `${words[kind].path}/${keyOf(c)}`;
  return attempted(
    c,
    async () => {
      const sent = await readSent(c);
      const document = withField(documentOf(await current(c, kind, keyOf(c))), sent, path);
      const saved = await save(c, kind, document, numberOf(sent["version"]));
      return answerDone(c, documentOf(saved), base);
    },
    async (refusal) => {
      const sent = await readSent(c);
      const document = documentOf(await current(c, kind, keyOf(c)));
      const within = path?.includes(".") ? path.split(".")[0] : textOf(sent["within"]) || undefined;
      const type = path === undefined ? typeOf(sent["type"]) : fieldAt(document, path).field.type;
      // After a conflict the next try is made knowing what is there now.
      const version = document.schema_version;
      return (
        <FieldPage
          {...{
            c,
            kind,
            document,
            type,
            within,
            path,
            problem: refusal,
            sent: { ...sent, version },
          }}
        />
      );
    },
  );
}

async function edit(
  c: Context<AdminEnv>,
  kind: CollectionKind,
  change: (place: { list: FieldDocument[]; index: number }, sent: Sent) => void,
): Promise<Response> {
  const sent = await readSent(c);
  const document = documentOf(await current(c, kind, keyOf(c)));
  change(fieldAt(document, c.req.param("path") ?? ""), sent);
  const saved = await save(c, kind, document, numberOf(sent["version"]));
  return answerDone(c, documentOf(saved), `${words[kind].path}/${keyOf(c)}#fields`);
}

/** What would be wrong with the definition if this field were saved; nothing is stored. */
export async function checkField(c: Context<AdminEnv>, kind: CollectionKind): Promise<Response> {
  const sent = await readSent(c);
  const now = await current(c, kind, keyOf(c));
  const path = typeof sent["path"] === "string" ? sent["path"] : undefined;
  const document = withField(documentOf(now), sent, path);
  try {
    judgeDefinition(kind, now.collection.key, now.collection.definition, document);
    return c.json({ errors: [] });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return c.json({ errors: error.members["errors"] ?? [{ reason: error.detail }] });
  }
}
