import { expect } from "vitest";
import type { Json } from "../support/client";
import { anonymous, ownerCookie } from "../support/service";

export const pathOf = (form: string) => `/forms/${form}/items/selected`;

/** Runs a bulk action as a browser does. Returns the values of the form with which its notice offers to undo it. */
export async function runAndOfferUndo(form: string, act: object): Promise<Json> {
  const headers = { Accept: "text/html", Cookie: await ownerCookie() };
  const body = { search: "", sure: "yes", ...act };
  const sent = await anonymous("POST", `/admin${pathOf(form)}`, body, headers);
  expect(sent.status).toBe(303);
  const cookies = sent.headers.getSetCookie();
  const said = cookies.find((each) => each.startsWith("__Host-said="))?.split(";")[0] ?? "";
  const notice = decodeURIComponent(said.slice("__Host-said=".length));
  const { undo }: Json = JSON.parse(notice.replace(/^[^[{]*/, ""));
  return undo.values;
}
