import type { Context, Env } from "hono";
import type { Grant } from "#domain/credential/credential.ts";
import type { ActionContext, ReplayCache } from "#actions/context.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { SentKey } from "#actions/idempotent.ts";
import type { Read } from "#http/doors/question.ts";
import type { Member } from "#store/home/members.ts";

/** A context that is only read, whatever more its route knows. */
export type Reading<E extends Env> = Pick<Context<E>, "env" | "executionCtx" | "req" | "var">;

/** Behind every door. */
export interface AppEnv {
  Bindings: Bindings;
  Variables: {
    requestId: string;
    /** What the caller called the request, if anything. */
    sentRequestId: string | null;
    /** For the log of calls: what was done at an address where many things are done, and why not. */
    deed?: { name: string; refusal?: Problem };
  };
}

/** Behind `/api/v1`: the request has a valid credential. */
export interface ApiEnv extends AppEnv {
  Variables: AppEnv["Variables"] & {
    grant: Grant;
    read: Read;
    action: ActionContext;
    replays: ReplayCache;
    /** None where the route does not do its work once. */
    sentKey: SentKey;
  };
}

/** Behind `/admin`: a member is signed in. */
export interface AdminEnv extends AppEnv {
  Variables: AppEnv["Variables"] & {
    member: Member;
    read: Read;
    /** SHA-256 of the session's id; empty where Cloudflare Access says who it is. */
    session: string;
    action: ActionContext;
  };
}
