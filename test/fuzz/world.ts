import type { Client, Json } from "../support/client";
import {
  account,
  admin,
  client,
  freshKey,
  issue,
  makeApp,
  makeForm,
  ownerCookie,
} from "../support/service";
import { starts } from "./documents";

/** What random requests are about. A part that a request has changed is made anew before the next one. */

interface Item {
  /** The key of its app or form. */
  key: string;
  id: string;
}

export interface World {
  bearer: string;
  cookie: string;
  app: Item & { receipt: string };
  /** Its cursors are of its list and of a search for everything. */
  form: Item & { cursors: (string | null)[] };
  client: { client_id: string; client_secret: string };
  /** Those that may be changed. */
  credential: string;
  member: string;
  invitation: string;
}

type Part = keyof World;

let makes: Promise<Client> | undefined;
const maker = () => (makes ??= client());

const makers: { [Name in Part]: () => Promise<World[Name]> } = {
  bearer: async () => (await maker()).bearer,
  cookie: ownerCookie,
  app: async () => {
    const { by, fields, rest, item } = await started("app");
    const key = await makeApp(by, fields, rest);
    const { body } = await by.post(`/apps/${key}/records`, item);
    return { key, id: body.id, receipt: body.receipt_number };
  },
  form: async () => {
    const { by, fields, rest, item } = await started("form");
    const key = await makeForm(by, fields, rest);
    const path = `/forms/${key}/submissions`;
    const { body } = await by.post(path, item);
    await by.post(path, { status: "draft", data: {} });
    const pages = [await by.get(`${path}?limit=1`), await by.post(`${path}/search`, { limit: 1 })];
    const cursors = pages.map((page) => new URL(page.body.links.next).searchParams.get("cursor"));
    return { key, id: body.id, cursors };
  },
  client: () => issue({ kind: "client" }),
  credential: async () => (await issue()).id,
  member: async () => {
    const email = await invited();
    await admin("POST", new URL(email.link).pathname.replace("/admin", ""), {
      password: account.password,
    });
    const { items } = (await admin("GET", "/members")).body;
    return items.find((each: Json) => each.email === email.email).id;
  },
  invitation: async () => new URL((await invited()).link).pathname.split("/").at(-1) ?? "",
};

async function started(name: "app" | "form") {
  const { documents, data } = starts[name] as (typeof starts)[string];
  const { fields, ...rest } = documents.at(-1);
  return { by: await maker(), fields, rest, item: { data: data() } };
}

async function invited(): Promise<{ email: string; link: string }> {
  const email = `${freshKey("member")}@forms.example`;
  return (await admin("POST", "/members", { email, role: "viewer" })).body;
}

const made: Partial<World> = {};

export async function world(): Promise<World> {
  const parts = Object.keys(makers) as Part[];
  for (const part of parts) Object.assign(made, { [part]: made[part] ?? (await makers[part]()) });
  return made as World;
}

/** A part is not what it was: the next request gets another one. */
export function spend(part: Part): void {
  delete made[part];
}
