import { makePlan, type Step } from "./plan.ts";
import { calm } from "./reduce.ts";
import { run, type Setting } from "./run.ts";
import { partner } from "./world.ts";

/** A request to the API and its response, as a simulated client observed them. */
export interface Exchange {
  /** The index of the credential that sent the request. -1 for a member. */
  credential: number;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
  status: number;
  etag: string | null;
  text: string;
}

/** Steps whose responses depend only on the plan if the steps run one after the other. */
const comparable: readonly Step["kind"][] = [
  ...(["create", "retry", "update", "increment", "upsert", "batch", "remove", "status"] as const),
  ...(["read", "search", "walk", "feed", "define"] as const),
];
/** The other steps of this kind, for a service that has all collections of the simulation. */
export const comparableOfAll: readonly Step["kind"][] = [
  ...comparable,
  ...(["aggregate", "customer", "order", "relink", "expand", "adminUpdate"] as const),
  ...(["view", "partner", "partnerFeed", "poll"] as const),
];
export const pauseMs = 5000;
const smallCredentialClient = 6;

/** Plays a plan step by step without faults, so that another service can repeat it. */
export async function recordExchanges(
  setting: Setting,
  seed: number,
  count: number,
  kinds = comparable,
): Promise<Exchange[]> {
  const plan = makePlan(seed, count)
    .filter(({ kind, client }) => kinds.includes(kind) && client !== smallCredentialClient)
    .map((step, index) => ({ ...calm(step), at: index * pauseMs }));
  const tokens = setting.template.credentials.map(({ token }) => `Bearer ${token}`);
  const exchanges: Exchange[] = [];
  const { errors } = await run(plan, {
    ...setting,
    withoutLag: true,
    onExchange({ method, path, headers = {}, body }, { status, text, headers: answerHeaders }) {
      const { Authorization: authorization = "", Cookie: _cookie, ...rest } = headers;
      const etag = answerHeaders.get("ETag");
      const credential = tokens.indexOf(authorization);
      // The last steps use credentials and forms that other services lack.
      if (kinds === comparable && credential === partner) return;
      exchanges.push({ credential, method, path, headers: rest, body, status, etag, text });
    },
  });
  if (errors.length > 0) throw new Error(errors.join("\n"));
  return exchanges;
}
