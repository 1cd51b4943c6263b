import { WorkerEntrypoint } from "cloudflare:workers";
import service, { CredentialGate as Gate } from "../../src/index";
import type { Distances } from "../measure/distances";
import { asksPrimary } from "./asked";

export { WebhookSender } from "../../src/index";

interface Far extends Bindings {
  OBJECT_DB: D1Database;
  D1: Fetcher;
  KV: Fetcher;
  STAGE: Distances;
}

/**
 * Stands around the bundle where its caller is: the credential's object and D1 are as far away as `STAGE` says. A
 * request with `X-Isolate` is answered by a copy of the bundle that knows nothing but what it was asked before.
 */
export default {
  async fetch(request, env, ctx) {
    const isolate = request.headers.get("X-Isolate");
    const { default: answering } = isolate === null ? { default: service } : await copy(isolate);
    return answering.fetch(request, { ...env, GATE: away(env.GATE, env.STAGE.object) }, ctx);
  },
} satisfies ExportedHandler<Far>;

const copy = (name: string) =>
  import(["../../src/index", name].join("-")) as Promise<{ default: typeof service }>;

export class CredentialGate extends Gate {
  constructor(ctx: DurableObjectState, env: Far) {
    super(ctx, { ...env, DB: env.OBJECT_DB });
  }
}

export class Database extends WorkerEntrypoint<Far> {
  override fetch(request: Request): Promise<Response> {
    const { primary, replica } = this.env.STAGE;
    return asked(request, this.env.D1, primary, replica);
  }
}

export class ObjectDatabase extends WorkerEntrypoint<Far> {
  override fetch(request: Request): Promise<Response> {
    const { objectToPrimary, objectToReplica } = this.env.STAGE;
    return asked(request, this.env.D1, objectToPrimary, objectToReplica);
  }
}

export class Cache extends WorkerEntrypoint<Far> {
  override fetch(request: Request): Promise<Response> {
    return this.env.KV.fetch(request);
  }
}

/** D1's way of choosing: sessions that are not bound to the primary read from the nearest replica. */
async function asked(request: Request, d1: Fetcher, primary: number, replica: number) {
  const distance = (await asksPrimary(request.clone())) ? primary : replica;
  return there(distance, () => d1.fetch(request));
}

async function there<T>(milliseconds: number, ask: () => Promise<T>): Promise<T> {
  await scheduler.wait(milliseconds / 2);
  const answer = await ask();
  await scheduler.wait(milliseconds / 2);
  return answer;
}

type Namespace = Bindings["GATE"];

function away(objects: Namespace, milliseconds: number): Namespace {
  const stubOf = (stub: object) =>
    new Proxy(stub, {
      get: (target, name) =>
        name === "then"
          ? undefined
          : (...args: unknown[]) =>
              there(milliseconds, async () =>
                (target as Record<PropertyKey, (...given: unknown[]) => unknown>)[name]?.(...args),
              ),
    });
  return {
    getByName: (name: string) => stubOf(objects.getByName(name)),
    idFromName: (name: string) => objects.idFromName(name),
    get: (id: DurableObjectId) => stubOf(objects.get(id)),
  } as unknown as Namespace;
}

/** The cache of the data centre, which outlives isolates; an answer itself belongs to the request that made it. */
const kept = new Map<string, string>();
const cache = {
  match: async (key: RequestInfo) => {
    const text = kept.get(new Request(key).url);
    return text === undefined ? undefined : new Response(text);
  },
  put: async (key: RequestInfo, answer: Response) => {
    kept.set(new Request(key).url, await answer.text());
  },
  delete: async (key: RequestInfo) => kept.delete(new Request(key).url),
};
Object.defineProperty(globalThis, "caches", {
  value: { default: cache, open: async () => cache },
});
