import { Hono } from "hono";
import { deleteSubmission } from "../actions/delete-submission";
import { validateItem } from "../actions/validate-item";
import type { ApiEnv } from "../env";
import { jsonBody, mergePatch } from "../middleware/json-body";
import { permit } from "../middleware/permit";
import { ifMatch } from "../middleware/preconditions";
import { form, submission } from "./doors";
import { answerCreate, answerFound, answerList, answerUpdate } from "./items";
import { paging } from "./paging";
import { answerSearch } from "./search";

export const submissions = new Hono<ApiEnv>()
  .get("/forms/:key/submissions", permit("submissions:read"), form, paging, answerList)
  .post("/forms/:key/submissions", permit("submissions:write"), form, jsonBody(), answerCreate)
  .post(
    "/forms/:key/submissions/validate",
    permit("submissions:write"),
    form,
    jsonBody(),
    async (c) => {
      const { key, status, data, warnings } = await validateItem(
        c.var.action,
        c.var.compiled,
        c.var.body,
      );
      const warned = warnings.length > 0 ? { warnings } : {};
      return c.json({ valid: true, form: key, status, data, ...warned });
    },
  )
  .post(
    "/forms/:key/submissions/search",
    permit("submissions:read"),
    form,
    paging,
    jsonBody(),
    answerSearch,
  )
  .get("/submissions/:id", permit("submissions:read"), submission, answerFound)
  .patch(
    "/submissions/:id",
    permit("submissions:write"),
    submission,
    jsonBody(mergePatch),
    answerUpdate,
  )
  .delete("/submissions/:id", permit("submissions:delete"), submission, async (c) => {
    await deleteSubmission(c.var.action, c.var.found, ifMatch(c));
    return c.body(null, 204);
  });
