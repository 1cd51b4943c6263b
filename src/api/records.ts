import { Hono } from "hono";
import type { ApiEnv } from "../env";
import { reads, writes, writesOnce } from "../http/doors/effect";
import { jsonBody, mergePatch } from "../http/request/json-body";
import { only } from "../http/doors/methods";
import { permit } from "../http/doors/permit";
import { answerBatch, batchQuery, permitOperations } from "./batch";
import { answerChanges, feedPaging } from "./changes";
import { app, record } from "./doors";
import { answerCreate, answerFound, answerUpdate, answerList } from "./items";
import { paging } from "../http/request/paging";
import { noParameters } from "../http/request/parameters";
import { answerSearch } from "./search";

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
