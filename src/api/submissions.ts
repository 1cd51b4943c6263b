import { Hono } from "hono";
import { deleteSubmission } from "#actions/update-item.ts";
import { validateItem } from "#actions/list-items.ts";
import { checkedDocument } from "#documents/items.ts";
import type { ApiEnv } from "#http/env.ts";
import { reads, writes, writesOnce } from "#http/doors/effect.ts";
import { jsonBody, mergePatch } from "#http/body.ts";
import { only } from "#http/cors.ts";
import { permit } from "#http/doors/permit.ts";
import { ifMatch } from "#http/request.ts";
import { answerBatch, batchQuery, permitOperations } from "./batch.ts";
import { answerChanges, feedPaging } from "./changes.ts";
import { form, submission } from "./doors.ts";
import { answerCreate, answerFound, answerUpdate, answerList } from "./items.ts";
import { paging } from "#http/paging.ts";
import { noParameters } from "#http/query.ts";
import { answerSearch } from "./search.ts";

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
