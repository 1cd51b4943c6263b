import { Problem, type FieldError } from "../../domain/problem/problem";
import type { Webhook } from "../../domain/webhook/webhook";
import { listed } from "../credentials/access/labels";
import { textOf, type Sent } from "../frame/sent";

/** What a page sends, as the API takes it; scripts send that themselves. */
export function webhookSent(given: Sent): Sent {
  const { version: _, ...sent } = given;
  const { page, scope, resources } = sent;
  if (page === undefined) return sent;
  const chosen = listed(resources);
  const all = scope === "all" && chosen.length === 0;
  return {
    name: textOf(sent["name"]).trim(),
    url: textOf(sent["url"]).trim(),
    types: listed(sent["types"]),
    collections: all ? "all" : scope === "all" ? ["all", ...chosen] : chosen,
    include: sent["include"],
  };
}

/** A webhook as the inputs of a page show it. */
export function shownInputs({ name, url, types, collections, include }: Webhook): Sent {
  return { name, url, types, resources: collections, include };
}

/** The order of a list means nothing here. */
const plain = (value: unknown) =>
  JSON.stringify(Array.isArray(value) ? value.map(String).toSorted(compareTexts) : value);
const compareTexts = (a: string, b: string) => (a < b ? -1 : 1);

/** What differs from what it is: whoever sends the rest again says nothing of where it goes, or what it tells. */
export function differing(before: Webhook, sent: Sent): Sent {
  const now: Sent = { ...before };
  return Object.fromEntries(
    Object.entries(sent).filter(([name, value]) => plain(value) !== plain(now[name])),
  );
}

/** A refusal in the words of the page: its inputs are called otherwise than the API's properties. */
export function pageRefusal(refusal: Problem): Problem {
  const errors = refusal.members["errors"] as FieldError[] | undefined;
  if (!errors) return refusal;
  const told = errors.map((error) => {
    if (error.field === "types") return { ...error, reason: "Choose at least one." };
    if (!error.field.startsWith("collections")) return error;
    const reason =
      error.field === "collections"
        ? "Choose either everything, or 1 to 100 single forms and apps."
        : error.reason;
    return { ...error, field: "resources", reason };
  });
  const { code, detail, members, headers } = refusal;
  return new Problem(code, detail, { ...members, errors: told }, headers);
}
