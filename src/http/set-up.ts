import { createMiddleware } from "hono/factory";
import { memoryPart } from "#domain/memory.ts";
import { Problem } from "#domain/problem/problem.ts";
import { lacksTables } from "#store/db/retry.ts";
import { pingDatabases } from "#store/home/maintenance.ts";
import type { AppEnv } from "./env.ts";
import type { Service } from "./service.ts";

// A service that `npm run dev` or `npm run deploy` has not set up cannot work. Its problem explains how to fix that.

const setUpCommands =
  "Run `npm run dev` to set it up on this machine, or `npm run deploy` to set it up at Cloudflare.";
const missingTables = `This service is not set up: its database lacks tables. ${setUpCommands}`;

/** Returns the names of the missing secrets. Undefined when the service has all required secrets. */
function missingSecrets({ tokenSecret, setupSecret }: Service["settings"]): string | undefined {
  if (tokenSecret !== "") return undefined;
  const names =
    setupSecret === "" ? "secrets TOKEN_SECRET and SETUP_SECRET" : "secret TOKEN_SECRET";
  return `This service is not set up: it lacks the ${names}. ${setUpCommands}`;
}

/** Returns an explanation of what is missing. `failure` is the error of a query, if there was one. */
export function explainMissingSetUp(service: Service, failure?: unknown): string | undefined {
  return missingSecrets(service.settings) ?? (lacksTables(failure) ? missingTables : undefined);
}

/** The problem of a service that is not set up. Its page shows the reason to the operator. */
export class SetUpProblem extends Problem {
  constructor(explanation: string) {
    super("try_again", explanation, {}, { "Retry-After": "60" });
  }
}

const setUpIn = memoryPart(() => ({ isLogged: false, hasTables: false }));

/** Creates the problem. Logs the reason once per isolate. */
export function setUpProblem(service: Service, explanation: string): Problem {
  const state = setUpIn(service.memory);
  if (!state.isLogged) {
    state.isLogged = true;
    service.log(JSON.stringify({ event: "not_set_up", reason: explanation }), "error");
  }
  return new SetUpProblem(explanation);
}

/** Returns 503 if secrets are missing. Lets health checks pass, because they report the reason themselves. */
export const requireSecrets = createMiddleware<AppEnv>(async (c, next) => {
  const explanation = missingSecrets(c.env.settings);
  if (explanation !== undefined) {
    const failure = setUpProblem(c.env, explanation);
    if (c.req.path !== "/health") throw failure;
  }
  await next();
});

/** Returns 503 if the database lacks tables, for pages that read no tables. Checks once per isolate. */
export const requireTables = createMiddleware<AppEnv>(async (c, next) => {
  const state = setUpIn(c.env.memory);
  if (!state.hasTables) {
    const failure: unknown = await pingDatabases(c.env.databases).then(
      () => undefined,
      (error: unknown) => error,
    );
    // The page itself does not need the database, so any other failure does not matter here.
    if (lacksTables(failure)) throw setUpProblem(c.env, missingTables);
    state.hasTables = failure === undefined;
  }
  await next();
});
