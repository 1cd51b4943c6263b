import { Hono } from "hono";
import type { ApiEnv } from "../env";
import { jsonBody, mergePatch } from "../middleware/json-body";
import { permit } from "../middleware/permit";
import { app, record } from "./doors";
import { answerCreate, answerFound, answerList, answerUpdate } from "./items";
import { paging } from "./paging";
import { answerSearch } from "./search";

export const records = new Hono<ApiEnv>()
  .get("/apps/:key/records", permit("records:read"), app, paging, answerList)
  .get("/apps/:key/records/:id", permit("records:read"), record, answerFound)
  .post("/apps/:key/records", permit("records:write"), app, jsonBody(), answerCreate)
  .post("/apps/:key/records/search", permit("records:read"), app, paging, jsonBody(), answerSearch)
  .patch(
    "/apps/:key/records/:id",
    permit("records:write"),
    record,
    jsonBody(mergePatch),
    answerUpdate,
  );
