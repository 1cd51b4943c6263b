import type { Client, Json } from "./client";
import { admin, client, freshKey, issue, makeApp, makeForm, ownerCookie } from "./service";
import { starts } from "./documents";
import { fileContent, upload } from "./files";
import { newMember } from "./members";
import { homeDb } from "./databases";

/** The objects that requests address. A part that a request has changed is created again for the next request. */

interface Item {
  /** The key of the item's app or form. */
  key: string;
  id: string;
}

interface ItemWithDeleted extends Item {
  /** The ID of another item that a member deleted. */
  deleted: string;
}

export interface World {
  bearer: string;
  cookie: string;
  app: ItemWithDeleted & { receipt: string };
  /** The form also contains a draft. */
  form: ItemWithDeleted;
  client: { client_id: string; client_secret: string };
  /** The requests may change these. */
  credential: string;
  member: string;
  invitation: string;
  reset: string;
  webhook: { id: string; delivery: string };
  /** A file of a submission, and the form that has it. */
  file: Item;
  /** A search for a person. */
  search: string;
}

type Part = keyof World;

let cachedCreator: Promise<Client> | undefined;
const getCreator = () => (cachedCreator ??= client());

const factories: { [Name in Part]: () => Promise<World[Name]> } = {
  bearer: async () => (await getCreator()).bearer,
  cookie: ownerCookie,
  app: async () => {
    const { fields, settings, item } = startOf("app");
    const key = await makeApp(await getCreator(), fields, settings);
    const deleted = await newDeletedItem(`/apps/${key}`, startOf("app").item);
    const { id, receipt_number: receipt } = await newItem(`/apps/${key}`, item);
    return { key, id, receipt, deleted };
  },
  form: async () => {
    const { fields, settings, item } = startOf("form");
    const key = await makeForm(await getCreator(), fields, settings);
    const deleted = await newDeletedItem(`/forms/${key}`, startOf("form").item);
    const { id } = await newItem(`/forms/${key}`, item);
    await newItem(`/forms/${key}`, { status: "draft", data: {} });
    return { key, id, deleted };
  },
  client: () => issue({ kind: "client" }),
  credential: async () => (await issue()).id,
  member: async () => (await newMember("viewer")).id,
  webhook: async () => {
    const creator = await getCreator();
    // Only one is active at a time, because every change wakes each webhook that listens to everything.
    await homeDb.prepare("UPDATE webhook SET state = 'paused' WHERE name = 'Test'").run();
    const { url, types } = { url: "https://receiver.example/hook", types: ["record.created"] };
    const webhook = await creator.post("/webhooks", {
      name: "Test",
      url,
      types,
      collections: "all",
    });
    const { id } = webhook.body;
    return { id, delivery: (await creator.post(`/webhooks/${id}/test`, undefined)).body.id };
  },
  search: async () => (await admin("POST", "/people", { text: "Akiko Mori" })).body.id,
  file: async () => {
    const creator = await getCreator();
    const key = await makeForm(creator, [{ key: "invoices", type: "files" }]);
    const id = await upload(
      creator,
      `form:${key}`,
      new TextEncoder().encode(JSON.stringify(fileContent)),
    );
    await creator.post(`/forms/${key}/submissions`, { data: { invoices: [id] } });
    return { key, id };
  },
  invitation: async () => new URL((await invite()).link).pathname.split("/").at(-1) ?? "",
  reset: async () => {
    const { id } = await newMember("viewer");
    const { body } = await admin("POST", `/members/${id}/reset`, {});
    return new URL(body.link).pathname.split("/").at(-1) ?? "";
  },
};

function startOf(name: "app" | "form") {
  const { documents, data } = starts[name] as (typeof starts)[string];
  const { fields, ...settings } = documents.at(-1);
  return { fields, settings, item: { data: data() } };
}

/** Creates an item in the administration, because validating many API responses takes long. */
async function newItem(collection: string, item: object): Promise<Json> {
  const { status, text, body } = await admin("POST", `${collection}/items`, item);
  if (status !== 201) throw new Error(text);
  return body;
}

async function newDeletedItem(collection: string, item: object): Promise<string> {
  const { id } = await newItem(collection, item);
  const { status, text } = await admin("POST", `${collection}/items/${id}/delete`, {});
  if (status !== 204) throw new Error(text);
  return id;
}

async function invite(): Promise<{ email: string; link: string }> {
  const email = `${freshKey("member")}@forms.example`;
  return (await admin("POST", "/members", { email, role: "viewer" })).body;
}

const parts: Partial<World> = {};

export async function world(): Promise<World> {
  const names = Object.keys(factories) as Part[];
  for (const name of names)
    Object.assign(parts, { [name]: parts[name] ?? (await factories[name]()) });
  return parts as World;
}

/** Discards a part that a request has changed. The next request gets a new one. */
export function spend(part: Part): void {
  delete parts[part];
}
