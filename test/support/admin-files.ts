import { createHash } from "node:crypto";
import type { Json } from "./client";
import { as } from "./members";
import { client, makeForm, ownerCookie } from "./service";

/** Files that members upload to a separate form. */

/** Requests of tests have JSON bodies, so the content of a file is also JSON. */
export const fileBody = { content: "of a file" };
const content = JSON.stringify(fileBody);

let form: Promise<string> | undefined;
const formKey = () =>
  (form ??= (async () =>
    makeForm(await client(), [{ key: "files", type: "files", searchable: false }]))());

export const announcement = async (): Promise<Json> => ({
  collection: `form:${await formKey()}`,
  field: "files",
  name: "a.json",
  bytes: content.length,
  sha256: createHash("sha256").update(content).digest("hex"),
});

/** Announces a file as the member with this cookie. */
export async function announceFile(cookie: string): Promise<string> {
  const answer = await as(cookie)("POST", "/files", await announcement());
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id;
}

/** Returns the ID of a file that an item has. */
export async function attachedFile(): Promise<string> {
  const cookie = await ownerCookie();
  const id = await announceFile(cookie);
  const stored = await as(cookie)("PUT", `/files/${id}/content`, fileBody);
  if (stored.status !== 200) throw new Error(stored.text);
  const data = { files: [id] };
  const item = await as(cookie)("POST", `/forms/${await formKey()}/items`, { data });
  if (item.status !== 201) throw new Error(item.text);
  return id;
}
