import { createMiddleware } from "hono/factory";
import { problem } from "#domain/problem/problem.ts";
import { limitAnonymousBody, maxBodyBytes } from "#http/body.ts";
import {
  bodyProblem,
  hasBody,
  maxAnonymousBodyBytes,
  requireUncompressedBody,
} from "#http/read-body.ts";
import type { AdminEnv } from "#http/env.ts";
import { isKnownCaller } from "./session.ts";

/**
 * Reads the body before the session is checked, so that slow senders cannot use a session that has ended meanwhile.
 * Callers without a session that the service signed are limited by network first, and may send only a small body.
 */
export const receiveBody = createMiddleware<AdminEnv>(async (c, next) => {
  if (hasBody(c)) {
    const isKnown = await isKnownCaller(c);
    if (!isKnown) await limitAnonymousBody(c);
    requireUncompressedBody(c);
    const refusal = await bodyProblem(c, isKnown ? maxBodyBytes : maxAnonymousBodyBytes);
    if (refusal?.code === "too_large" && !isKnown)
      throw problem.anonymousBodyTooLarge(maxAnonymousBodyBytes);
    if (refusal) throw refusal;
  }
  await next();
});
