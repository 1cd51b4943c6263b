import { Hono } from "hono";
import type { ApiEnv } from "#http/env.ts";
import { reads, writes, writesOnce } from "#http/doors/effect.ts";
import { jsonBody, mergePatch } from "#http/body.ts";
import { only } from "#http/cors.ts";
import { permit } from "#http/doors/permit.ts";
import { answerBatch, batchQuery, permitOperations } from "./batch.ts";
import { answerChanges, feedPaging } from "./changes.ts";
import { app, record } from "./doors.ts";
import { answerCreate, answerFound, answerUpdate, answerList } from "./items.ts";
import { paging } from "#http/paging.ts";
import { noParameters } from "#http/query.ts";
import { answerSearch } from "./search.ts";

const list = "/apps/:key/records";
const search = `${list}/search`;
const batch = `${list}/batch`;
const one = `${list}/:id`;

/** Paths with a name of their own come first, so that the name is taken for no id. */
export const records = new Hono<ApiEnv>()
  .get(list, permit("records:read"), app, paging, answerList("app"))
  .post(list, writesOnce, permit("records:create"), app, jsonBody(), noParameters, answerCreate)
  .post(search, reads, permit("records:read"), app, jsonBody(), paging, answerSearch("app"))
  .all(search, only("POST"))
  .post(batch, writesOnce, jsonBody(), permitOperations("app"), app, batchQuery, answerBatch)
  .all(batch, only("POST"))
  .get("/apps/:key/changes", permit("records:read"), app, feedPaging, answerChanges("app"))
  .get(one, permit("records:read"), record, noParameters, answerFound)
  .patch(
    one,
    writes,
    permit("records:write"),
    record,
    jsonBody(mergePatch),
    noParameters,
    answerUpdate,
  );
