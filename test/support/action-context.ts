import { ulid } from "ulid";
import type { ActionContext } from "../../src/actions/context.ts";
import { permissions } from "../../src/domain/credential/permissions.ts";
import { primaryOnly } from "../../src/store/db/session.ts";
import { databases } from "./databases";
import { nothingCached } from "./nothing-cached";
import { outside } from "./serve";

/** The context of a request without its background work, which the tests run themselves. */
export const actionContext: ActionContext = {
  databases,
  primary: databases,
  definitions: nothingCached,
  versions: primaryOnly,
  actor: "system",
  permissions,
  resources: "all",
  session: null,
  requestId: "test",
  sentRequestId: null,
  ...outside,
  newId: () => ulid(),
  runAfterResponse: () => undefined,
  notifyChange: () => undefined,
  replays: { peek: () => undefined, put: () => undefined, purge: () => undefined },
};
