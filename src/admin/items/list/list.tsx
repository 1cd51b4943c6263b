import type { Context } from "hono";
import { itemDocument } from "../../../documents/item";
import type { CollectionKind } from "../../../domain/definition/collection";
import type { AdminEnv } from "../../../env";
import { asking } from "../../../http/doors/question";
import { answer } from "../../frame/answers";
import { attempted } from "../../frame/attempted";
import { frameOf } from "../../frame/frame";
import { chosenColumns } from "./columns";
import { listed } from "./find-items";
import { ItemsPage } from "./page/items-page";
import { searchParams, type Query } from "./query";

type C = Context<AdminEnv>;

export function listItems(kind: CollectionKind) {
  const question = listed(kind);
  return asking(question, async (c: C): Promise<Response> => {
    const { query: sent, page, now } = await c.var.read(question);
    const query = { ...sent, columns: chosenColumns(c, sent.columns) };
    const frame = frameOf(c);
    return attempted(
      c,
      async () => {
        const { compiled, standing, views, next, count } = await page;
        const { collection } = compiled;
        const links = { self: c.req.url, next: next && addressOf(c, query, next) };
        const { live, indexing } = standing ?? (await now());
        const document = { items: views.map(itemDocument), count, links };
        const shown = { frame, collection, live, indexing, query, views, next, count };
        return answer(c, document, () => <ItemsPage {...shown} />);
      },
      async (refusal) => {
        const { compiled, live, indexing } = await now();
        const { collection } = compiled;
        const none = { views: [], next: null, count: null, problem: refusal };
        return <ItemsPage {...{ frame, collection, live, indexing, query }} {...none} />;
      },
    );
  });
}

function addressOf(c: C, query: Query, cursor: string): string {
  const address = new URL(c.req.path, c.req.url);
  const params = searchParams(query);
  params.set("cursor", cursor);
  address.search = params.toString();
  return address.href;
}
