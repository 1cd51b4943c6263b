import type { Context, Env } from "hono";
import type { Grant } from "#domain/credential/credential.ts";
import type { ActionContext, ReadContext, ReplayCache } from "#actions/context.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { IdempotencyKey } from "#actions/idempotent.ts";
import type { Read } from "#actions/read.ts";
import type { ListSettings } from "#store/home/list-settings.ts";
import type { Member } from "#store/home/members.ts";
import type { RequestPlan } from "./prefetch.ts";
import type { AdminContext } from "./context.ts";
import type { Service } from "./service.ts";

/** The read-only part of a context. Accepts the context of any route. */
export type RequestContext<E extends Env> = Pick<
  Context<E>,
  "env" | "executionCtx" | "req" | "var"
>;

/** The environment of every route. */
export interface AppEnv {
  Bindings: Service;
  Variables: {
    requestId: string;
    /** The request ID that the caller sent. Null if it sent none. */
    sentRequestId: string | null;
    /** Whether the response is the content of a file, which browsers must not run. */
    isFile?: boolean;
    /** The MCP tool for the call log, because all tools share one URL, and the problem that rejected its call. */
    loggedTool?: { name: string; problem?: Problem };
  };
}

/** The environment of `/api/v1`, where the request has a valid credential. */
export interface ApiEnv extends AppEnv {
  Variables: AppEnv["Variables"] & {
    grant: Grant;
    plan: RequestPlan;
    read: Read;
    action: ActionContext;
    replays: ReplayCache;
    /** Empty if the route accepts no Idempotency-Key. */
    idempotencyKey: IdempotencyKey;
  };
}

/** Reads the data of an admin page about an app or form. The data does not depend on the member. */
export type PagePrefetch<Data> = (
  ctx: ReadContext,
  key: string,
  c: Context<AdminEnv>,
) => Promise<Data>;

/** Returns the result of a page's read, whether it was started early or starts now. */
export type ReadPage = <Data>(prefetch: PagePrefetch<Data>) => Promise<Data>;

/** The environment of `/admin`, where a member is signed in. */
export interface AdminEnv extends AppEnv {
  Variables: AppEnv["Variables"] & {
    member: Member;
    read: ReadPage;
    /** The read that the page declares, and the key of the app or form in its path. */
    earlyPage?: { prefetch: PagePrefetch<unknown>; key: string; list: string };
    /** The settings that the member has saved for the list on the page. Null on other pages. */
    listSettings: ListSettings | null;
    /** SHA-256 of the session's ID. Empty if Cloudflare Access signs members in. */
    session: string;
    action: AdminContext;
  };
}
