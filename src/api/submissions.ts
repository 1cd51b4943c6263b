import { Hono } from "hono";
import { deleteSubmission } from "../actions/items/delete-submission";
import { validateItem } from "../actions/items/validate-item";
import { checkedDocument } from "../documents/item";
import type { ApiEnv } from "../env";
import { reads, writes, writesOnce } from "../http/doors/effect";
import { jsonBody, mergePatch } from "../http/request/json-body";
import { only } from "../http/doors/methods";
import { permit } from "../http/doors/permit";
import { ifMatch } from "../http/request/preconditions";
import { answerBatch, batchQuery, permitOperations } from "./batch";
import { answerChanges, feedPaging } from "./changes";
import { form, submission } from "./doors";
import { answerCreate, answerFound, answerUpdate, answerList } from "./items";
import { paging } from "../http/request/paging";
import { noParameters } from "../http/request/parameters";
import { answerSearch } from "./search";

const list = "/forms/:key/submissions";
const validate = `${list}/validate`;
const search = `${list}/search`;
const batch = `${list}/batch`;
const one = "/submissions/:id";

export const submissions = new Hono<ApiEnv>()
  .get(list, permit("submissions:read"), form, paging, answerList("form"))
  .post(
    list,
    writesOnce,
    permit("submissions:create"),
    form,
    jsonBody(),
    noParameters,
    answerCreate,
  )
  .post(
    validate,
    reads,
    permit("submissions:create"),
    form,
    jsonBody(),
    noParameters,
    async (c) => {
      const { action, compiled, body } = c.var;
      return c.json(checkedDocument(await validateItem(action, compiled, body)));
    },
  )
  .all(validate, only("POST"))
  .post(search, reads, permit("submissions:read"), form, jsonBody(), paging, answerSearch("form"))
  .all(search, only("POST"))
  .post(batch, writesOnce, jsonBody(), permitOperations("form"), form, batchQuery, answerBatch)
  .all(batch, only("POST"))
  .get("/forms/:key/changes", permit("submissions:read"), form, feedPaging, answerChanges("form"))
  .get(one, permit("submissions:read"), submission, noParameters, answerFound)
  .patch(
    one,
    writes,
    permit("submissions:write"),
    submission,
    jsonBody(mergePatch),
    noParameters,
    answerUpdate,
  )
  .delete(one, writes, permit("submissions:delete"), submission, noParameters, async (c) => {
    await deleteSubmission(c.var.action, c.var.found, ifMatch(c));
    return c.body(null, 204);
  });
