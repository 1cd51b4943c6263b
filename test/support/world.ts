import { env } from "cloudflare:workers";
import type { Client, Json } from "./client";
import { admin, client, freshKey, issue, makeApp, makeForm, ownerCookie } from "./service";
import { starts } from "./documents";
import { newMember } from "./members";

/** What requests are about. A part that a request has changed is made anew before the next one. */

interface Item {
  /** The key of its app or form. */
  key: string;
  id: string;
}

export interface World {
  bearer: string;
  cookie: string;
  app: Item & { receipt: string };
  /** It holds a draft besides. */
  form: Item;
  client: { client_id: string; client_secret: string };
  /** Those that may be changed. */
  credential: string;
  member: string;
  invitation: string;
  webhook: { id: string; delivery: string };
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
    const { id, receipt_number: receipt } = await newItem(`/apps/${key}`, item);
    return { key, id, receipt };
  },
  form: async () => {
    const { by, fields, rest, item } = await started("form");
    const key = await makeForm(by, fields, rest);
    const { id } = await newItem(`/forms/${key}`, item);
    await newItem(`/forms/${key}`, { status: "draft", data: {} });
    return { key, id };
  },
  client: () => issue({ kind: "client" }),
  credential: async () => (await issue()).id,
  member: async () => (await newMember("viewer")).id,
  webhook: async () => {
    const by = await maker();
    // One at a time: each that listens to everything is woken by every change.
    await env.DB.prepare("UPDATE webhook SET state = 'paused' WHERE name = 'Test'").run();
    const { url, types } = { url: "https://receiver.example/hook", types: ["record.created"] };
    const made = await by.post("/webhooks", { name: "Test", url, types, collections: "all" });
    const { id } = made.body;
    return { id, delivery: (await by.post(`/webhooks/${id}/test`, undefined)).body.id };
  },
  invitation: async () => new URL((await invited()).link).pathname.split("/").at(-1) ?? "",
};

async function started(name: "app" | "form") {
  const { documents, data } = starts[name] as (typeof starts)[string];
  const { fields, ...rest } = documents.at(-1);
  return { by: await maker(), fields, rest, item: { data: data() } };
}

/** By its owner: what the API answers is judged, which takes long where many are made. */
async function newItem(collection: string, item: object): Promise<Json> {
  const { status, text, body } = await admin("POST", `${collection}/items`, item);
  if (status !== 201) throw new Error(text);
  return body;
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
