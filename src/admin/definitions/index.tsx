import { Hono, type Context } from "hono";
import { checkIndex } from "../../actions/definitions/check-index";
import { listVisible } from "../../actions/definitions/definitions";
import { visibleCollection } from "../../actions/visible";
import { collectionKey } from "../../domain/definition/document";
import type { CollectionKind } from "../../domain/definition/collection";
import { errorAt } from "../../domain/problem/field-errors";
import { isObject } from "../../domain/json";
import { openApiDocument } from "../../documents/openapi/collection";
import { problem, type Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { hostOf } from "../../http/doors/host";
import { able, answer, answerDone, attempted } from "../frame/answers";
import { numberOf, textOf, type Sent } from "../frame/sent";
import { itemRoutes } from "../items";
import { readSent } from "../frame/negotiate";
import { CollectionPage } from "./collection-page";
import { current, documentOf, save, type Document } from "./context";
import { words } from "./words";
import { checkField, fieldRoutes } from "./fields";
import { JsonPage, ListPage } from "./list-page";

/** Apps, or forms: their definitions and their data. */
export const collections = (kind: CollectionKind) =>
  new Hono<AdminEnv>()
    .get("/", async (c) => {
      const found = await listed(c, kind);
      return answer(c, { items: found }, () => <ListPage {...{ c, kind, found }} />);
    })
    .post("/", able("define"), (c) =>
      attempted(
        c,
        async () => {
          const { key, name } = await readSent(c);
          const made = {
            key: textOf(key),
            name: textOf(name),
            schema_version: 0,
            fields: [],
          };
          if (!collectionKey.test(made.key)) throw wrongKey();
          const saved = documentOf(await save(c, kind, made, 0));
          return answerDone(c, saved, `${words[kind].path}/${made.key}`, 201);
        },
        async (refusal) => (
          <ListPage
            {...{
              c,
              kind,
              found: await listed(c, kind),
              problem: refusal,
              sent: await readSent(c),
            }}
          />
        ),
      ),
    )
    .get("/:key", async (c) => {
      const now = await current(c, kind, c.req.param("key"));
      const document = documentOf(now);
      return answer(c, { ...document, live: now.live }, () => (
        <CollectionPage {...{ c, kind, document, live: now.live }} />
      ));
    })
    .post("/:key", able("define"), (c) =>
      attempted(
        c,
        async () => {
          const sent = await readSent(c);
          const document = documentOf(await current(c, kind, c.req.param("key")));
          const saved = await save(
            c,
            kind,
            withSettings(document, kind, sent),
            numberOf(sent["version"]),
          );
          return answerDone(c, documentOf(saved), `${words[kind].path}/${document.key}`);
        },
        async (refusal) => {
          const now = await current(c, kind, c.req.param("key"));
          const shown = { document: documentOf(now), live: now.live, sent: await readSent(c) };
          return <CollectionPage {...{ c, kind, problem: refusal, ...shown }} />;
        },
      ),
    )
    .post("/:key/check", able("define"), (c) => checkField(c, kind))
    .post("/:key/check-index", able("owners"), async (c) => {
      const key = c.req.param("key");
      await checkIndex(c.var.action, await visibleCollection(c.var.action, kind, key));
      return answerDone(c, null, `${words[kind].path}/${key}`);
    })
    .get("/:key/openapi.json", async (c) => {
      const { collection } = await current(c, kind, c.req.param("key"));
      return c.json(openApiDocument(collection, hostOf(c)));
    })
    .get("/:key/json", async (c) => {
      const document = documentOf(await current(c, kind, c.req.param("key")));
      return answer(c, document, () => <JsonPage {...{ c, kind, document }} />);
    })
    .post("/:key/json", able("define"), (c) => saveJson(c, kind))
    .route("/:key/fields", fieldRoutes(kind))
    .route("/:key/items", itemRoutes(kind));

async function listed(c: Context<AdminEnv>, kind: CollectionKind) {
  const found = await listVisible(c.var.action, kind, 0, 500);
  return found.map(({ key, name, description, version }) => ({ key, name, description, version }));
}

function wrongKey(): Problem {
  const reason =
    "Small letters, digits, dashes and underscores, beginning with a letter; at most 63.";
  return problem.invalidInput([errorAt(["key"], "invalid_format", reason)]);
}

function withSettings(document: Document, kind: CollectionKind, sent: Sent): Document {
  const text = (name: string) => textOf(sent[name]);
  const moment = (name: string) => {
    const local = text(name);
    return local === ""
      ? null
      : /Z|[+-]\d\d:\d\d$/.test(local)
        ? local
        : `${local.slice(0, 16)}:00Z`;
  };
  const shared = {
    ...document,
    name: text("name"),
    description: text("description"),
    time_zone: text("time_zone"),
  };
  if (kind === "app") return { ...shared, receipt_prefix: text("receipt_prefix") };
  const acceptance = {
    state: text("state"),
    opens_at: moment("opens_at"),
    closes_at: moment("closes_at"),
    max_submissions: text("max_submissions") === "" ? null : Number(text("max_submissions")),
  };
  return { ...shared, acceptance };
}

/** The whole definition, pasted; scripts send it as the body itself. */
function saveJson(c: Context<AdminEnv>, kind: CollectionKind): Promise<Response> {
  const key = c.req.param("key") ?? "";
  return attempted(
    c,
    async () => {
      const sent = await readSent(c);
      const document = typeof sent["document"] === "string" ? parsed(sent["document"]) : sent;
      const version = numberOf(sent["version"] ?? document["schema_version"]);
      const saved = await save(c, kind, { ...document, key } as Document, version);
      return answerDone(c, documentOf(saved), `${words[kind].path}/${key}`);
    },
    async (refusal) => {
      const document = documentOf(await current(c, kind, key));
      const sent = await readSent(c);
      return (
        <JsonPage {...{ c, kind, document, problem: refusal, text: textOf(sent["document"]) }} />
      );
    },
  );
}

function parsed(text: string): Record<string, unknown> {
  const document = parsedJson(text);
  if (isObject(document)) return document;
  throw problem.invalidInput([errorAt(["document"], "invalid_type", "Must be of type object.")]);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const at = /position (\d+)/.exec(String(error))?.[1];
    throw problem.malformedJson(
      `This is not JSON.${at ? ` It goes wrong at character ${at}.` : ""}`,
    );
  }
}
