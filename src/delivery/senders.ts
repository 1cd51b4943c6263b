import type { WebhookObjects } from "#actions/context.ts";
import { patience, timely } from "#store/db/retry.ts";
import { problem } from "#domain/problem/problem.ts";

/** A receiver has as long as storage has; its answer is waited for. */
const sending = () => patience.milliseconds * 2;

/** The objects of webhooks, each named by its webhook's id. Whoever waits for one that cannot be reached is told to come back. */
export function webhookObjects({ HOOKS }: Pick<Bindings, "HOOKS">): WebhookObjects {
  const ask = async <T>(
    id: string,
    run: (stub: ReturnType<typeof HOOKS.getByName>) => Promise<T>,
    limit = patience.milliseconds,
  ): Promise<T> => {
    try {
      // A stub is of no use after an exception, so each call takes its own.
      return await timely(() => run(HOOKS.getByName(id)), limit);
    } catch (error) {
      console.warn(
        JSON.stringify({ event: "mended", what: "webhook object", error: String(error) }),
      );
      throw problem.tryAgain();
    }
  };
  return {
    wake: (id) => ask(id, async (stub) => stub.wake(id)),
    resume: (id) => ask(id, async (stub) => stub.resume(id)),
    test: (id) => ask(id, async (stub) => stub.sendTest(id), sending()),
    redeliver: (id, number) => ask(id, async (stub) => stub.redeliver(id, number), sending()),
    report: (id, before, limit) => ask(id, async (stub) => stub.report(before, limit)),
    forget: (id) => ask(id, async (stub) => stub.forget()),
  };
}

/** `npm run dev` sets it; wrangler.toml does not know it, so no deployment has it. */
interface Local {
  LOCAL_RECEIVERS?: string;
}

/** Whether webhooks may be sent to one's own machine, by http. */
export function localReceivers(env: object): boolean {
  return (env as Local).LOCAL_RECEIVERS === "allowed";
}
