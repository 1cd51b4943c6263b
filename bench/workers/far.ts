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
 * Wraps the bundle and simulates distance: calls to the credential's object and to D1 take as long as `STAGE` defines.
 * The header `X-Isolate` chooses a copy of the bundle, which has cached only its own earlier requests.
 */
export default {
  async fetch(request, env, ctx) {
    const isolate = request.headers.get("X-Isolate");
    const { default: answering } = isolate === null ? { default: service } : await copy(isolate);
    return answering.fetch(request, staged(env), ctx);
  },
} satisfies ExportedHandler<Far>;

/** The same object for all requests, because the service is created only once for it. */
let kept: Far | undefined;
const staged = (env: Far): Far => (kept ??= { ...env, GATE: away(env.GATE, env.STAGE.object) });

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

/** Chooses a database like D1: sessions that are not bound to the primary read from the nearest replica. */
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

/**
 * The cache of the data centre, which outlives isolates. It stores copies, because a Response belongs to its request.
 */
const cached = new Map<string, string>();
const cache = {
  match: async (key: RequestInfo) => {
    const text = cached.get(new Request(key).url);
    return text === undefined ? undefined : new Response(text);
  },
  put: async (key: RequestInfo, answer: Response) => {
    cached.set(new Request(key).url, await answer.text());
  },
  delete: async (key: RequestInfo) => cached.delete(new Request(key).url),
};
Object.defineProperty(globalThis, "caches", {
  value: { default: cache, open: async () => cache },
});
