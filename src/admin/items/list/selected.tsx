import type { Context } from "hono";
import { deleteSubmission } from "../../../actions/items/delete-submission";
import { updateItem } from "../../../actions/items/update-item";
import { searchItems } from "../../../actions/search/search-items";
import { visibleSubmission } from "../../../actions/visible";
import type { CollectionKind } from "../../../domain/definition/collection";
import type { ItemView } from "../../../domain/item/item-view";
import { may } from "../../../domain/credential/roles";
import { Problem, problem } from "../../../domain/problem/problem";
import type { AdminEnv } from "../../../env";
import { answerDone } from "../../frame/answers";
import { frameOf } from "../../frame/frame";
import { readSent } from "../../frame/negotiate";
import { say } from "../../frame/said";
import { textOf } from "../../frame/sent";
import { textsOf } from "../input/written";
import { addressOf, keyOf, opened } from "../opened";
import { answerFound } from "./export";
import { SurePage } from "./page/sure-page";

type C = Context<AdminEnv>;

/** A page of them. */
const mostSelected = 100;

/** Downloads, closes or deletes those that are ticked; deleting asks first, naming them. */
export async function actOnSelected(c: C, kind: CollectionKind): Promise<Response> {
  const sent = await readSent(c);
  const ids = [...new Set(textsOf(sent["ids"]))].slice(0, mostSelected);
  const act = textOf(sent["act"]);
  const back = addressOf(c, kind);
  if (ids.length === 0) {
    say(c, "Nothing was done: tick some of them first.");
    return answerDone(c, null, back);
  }
  const { compiled } = await opened(c, kind);
  const body = { conditions: [{ field: "$id", op: "in", value: ids }], limit: mostSelected };
  if (act === "download") return answerFound(c, compiled, { body }, "spreadsheet");
  if (!may(c.var.member.role, "write")) throw problem.roleRequired("write");
  if (kind === "app" || (act !== "close" && act !== "delete")) throw problem.notFound();
  if (act === "delete" && textOf(sent["sure"]) === "") {
    const { views } = await searchItems(c.var.action, compiled, body, null);
    const { collection } = compiled;
    return c.html(<SurePage {...{ frame: frameOf(c), collection, views, back }} />);
  }
  const one = act === "close" ? closeOne : deleteOne;
  const refused = new Map<string, number>();
  for (const id of ids) {
    const reason = await one(c, id);
    if (reason !== undefined) refused.set(reason, (refused.get(reason) ?? 0) + 1);
  }
  say(c, saidOf(act, ids.length, refused));
  return answerDone(c, null, back);
}

const closeOne = (c: C, id: string) =>
  tried(async () => {
    const found = await ownSubmission(c, id);
    await updateItem(c.var.action, found, { status: "closed" }, null);
  });

const deleteOne = (c: C, id: string) =>
  tried(async () => deleteSubmission(c.var.action, await ownSubmission(c, id), null));

async function ownSubmission(c: C, id: string) {
  const found = await visibleSubmission(c.var.action, id);
  if (found.compiled.collection.key !== keyOf(c)) throw problem.notFound();
  return found;
}

/** Why it was refused; nothing where it was done. */
async function tried(act: () => Promise<ItemView | void>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "not_found") return "not there any more";
    if (error.code === "invalid_input") return "still drafts";
    return error.code === "submission_closed" ? "closed already" : error.detail;
  }
}

function saidOf(act: "close" | "delete", all: number, refused: Map<string, number>): string {
  const failed = [...refused.values()].reduce((sum, count) => sum + count, 0);
  const done = `${all - failed} ${all - failed === 1 ? "submission is" : "submissions are"} ${act === "close" ? "closed" : "deleted"}.`;
  const why = [...refused].map(([reason, count]) => `${count} ${reason}`).join("; ");
  return failed === 0 ? done : `${done} Left as they were: ${why}.`;
}
