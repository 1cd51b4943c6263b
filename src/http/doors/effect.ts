import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";

/** What a request does: said by its route where that is defined, and known before any of its doors is passed. */
export interface Effect {
  /** It counts as a write (contract, section 10). */
  write: boolean;
  /** It is done once for each Idempotency-Key (contract, section 8). */
  once: boolean;
}

const declared = new WeakMap<object, Effect>();

function declare(effect: Effect) {
  const declaration = createMiddleware((_, next) => next());
  declared.set(declaration, effect);
  return declaration;
}

/** For a POST that writes nothing. */
export const reads = declare({ write: false, once: false });
export const writes = declare({ write: true, once: false });
export const writesOnce = declare({ write: true, once: true });

/** As the body says, where a door has read it there; as the route declares it; else its method tells. */
export function declaredEffect(c: Context): Effect {
  const said = c.get("effect") as Effect | undefined;
  if (said) return said;
  const { method } = c.req;
  if (!["POST", "PUT", "PATCH", "DELETE"].includes(method)) return { write: false, once: false };
  for (const { handler } of matchedRoutes(c)) {
    const effect = declared.get(handler);
    if (effect) return effect;
  }
  return { write: true, once: false };
}
