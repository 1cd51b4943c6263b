/**
 * A Worker whose databases are 1 ms away. In one process without any wait, workerd would finish a run of the schedule
 * before it reads the next request.
 */

const distanceMs = 1;
const wait = () => new Promise((resolve) => setTimeout(resolve, distanceMs));

interface Env {
  DB: object;
  DATA_01: object;
}

interface Handlers {
  fetch: (request: Request, env: Env, ctx: object) => unknown;
  scheduled: (event: object, env: Env) => unknown;
}

const calls = new Set<string | symbol>(["all", "run", "first", "raw", "batch"]);
const originals = new WeakMap<object, object>();

/** The object, with a wait before each call of its database. */
function distant<T extends object>(target: T): T {
  const proxy = new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(member, target, args.map(originalOf));
        if (calls.has(name)) return wait().then(call);
        const made = call();
        return typeof made === "object" && made !== null ? distant(made) : made;
      };
    },
  });
  originals.set(proxy, target);
  return proxy;
}

function originalOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(originalOf);
  return typeof value === "object" && value !== null ? (originals.get(value) ?? value) : value;
}

const envs = new WeakMap<Env, Env>();
function distantEnv(env: Env): Env {
  const known = envs.get(env) ?? { ...env, DB: distant(env.DB), DATA_01: distant(env.DATA_01) };
  envs.set(env, known);
  return known;
}

export const atADistance = (service: Handlers): Handlers => ({
  fetch: (request, env, ctx) => service.fetch(request, distantEnv(env), ctx),
  scheduled: (event, env) => service.scheduled(event, distantEnv(env)),
});
