import { createMiddleware } from "hono/factory";
import type { Creation, IdempotencyKey } from "../../actions/items/create-item";
import type { FieldError, FieldErrorCode } from "../../domain/problem/problem";
import { canonical } from "../../domain/json";
import { sha256 } from "../../domain/credential/signature";
import type { Presented } from "../../domain/credential/token";
import type { AppEnv, Reading } from "../../env";
import type { Replay } from "../../store/items/create-item";
import { recall, remember } from "../../store/items/replay-cache";
import { logMended } from "../answers/log";

interface Recall {
  key: string;
  /** Filled when the cache answers, if it answers in time. */
  replay: Replay | undefined;
}

type Recalling = AppEnv & { Variables: { presented: Presented; recall: Recall | null } };

const header = "Idempotency-Key";

/**
 * Asks the cache for the answer to this key, beside the question to the credential's object, and waits for neither
 * the one nor the other: on a first call the cache cannot know anything, and D1 decides.
 */
export const recallReplay = createMiddleware<Recalling>(async (c, next) => {
  const sent = c.req.header(header);
  const creates = c.req.method === "POST" && /\/(records|submissions)$/.test(c.req.path);
  c.set("recall", null);
  if (sent !== undefined && creates && !faultOf(sent)) {
    const key = await sha256(`${c.var.presented.credentialId}\n${c.req.path}\n${sent}`);
    const recalled: Recall = { key, replay: undefined };
    c.set("recall", recalled);
    c.executionCtx.waitUntil(
      recall(c.env.REPLAYS, key, Date.now()).then(
        (replay) => (recalled.replay = replay),
        (error: unknown) => logMended("replay cache unreadable", error),
      ),
    );
  }
  await next();
});

/** The Idempotency-Key of a create with this body; invalid where it is not 1 to 255 visible ASCII characters. */
export async function idempotencyOf(c: Reading<AppEnv>, body: unknown): Promise<IdempotencyKey> {
  const sent = c.req.header(header);
  if (sent === undefined) return null;
  const refused = faultOf(sent);
  if (refused) return { invalid: refused };
  const { recall: recalled } = (c as Reading<Recalling>).var;
  if (!recalled) throw new Error("A route that creates stands behind recallReplay.");
  const { key, replay } = recalled;
  return { key, fingerprint: await sha256(canonical(body)), recalled: replay };
}

/** Has the cache remember the answer, behind the response. */
export function rememberReplay(c: Reading<AppEnv>, key: string, { replay }: Creation): void {
  if (!replay) return;
  const { fingerprint, itemId, place, createdAt, answer, expiresAt } = replay;
  const kept = { fingerprint, itemId, place, createdAt, answer, expiresAt };
  c.executionCtx.waitUntil(
    remember(c.env.REPLAYS, key, kept).catch((error: unknown) =>
      logMended("replay cache unwritable", error),
    ),
  );
}

function faultOf(key: string): FieldError | undefined {
  if (key.length === 0) return fault("too_short", "Must be 1 to 255 characters long.");
  if (key.length > 255) return fault("too_long", "Must be 1 to 255 characters long.");
  if (!/^[\x21-\x7e]+$/.test(key)) return fault("invalid_format", "Must be visible ASCII only.");
  return undefined;
}

function fault(code: FieldErrorCode, reason: string): FieldError {
  return { field: header, code, reason };
}
