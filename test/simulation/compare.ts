import { isDeepStrictEqual } from "node:util";
import { Random } from "../soak/random.ts";
import { origin } from "./definitions.ts";
import { requestMove } from "./moves.ts";
import type { SimulatedDatabase } from "./platform/database.ts";
import { settle } from "./platform/scheduler.ts";
import { comparableOfAll, pauseMs, recordExchanges } from "./record.ts";
import { replay, type IdPair, type SendExchange } from "./replay.ts";
import type { Setting } from "./run.ts";
import { World, type Answer } from "./world.ts";

interface Comparison {
  /** The first request with two different responses, and both responses. Undefined if there is none. */
  difference: string | undefined;
  answers: number;
  /** The number of moves of a collection to another database. */
  flips: number;
}

const minuteMs = 60_000;
const requestsPerMove = 5;

/**
 * Plays a plan with one database, and sends the same requests to a service with several databases, between which
 * collections move. All responses must be equal, including the lists and feeds at the end. Returns the first
 * difference.
 */
export async function compareDatabases(
  one: Setting,
  several: Setting,
  seed: number,
  count: number,
): Promise<Comparison> {
  const exchanges = await recordExchanges(one, seed, count, comparableOfAll);
  const { bundle, template } = several;
  const world = new World(bundle, template.image, template.now);
  const { scheduler } = world;
  for (const db of world.databases.values()) db.lags = false;
  const random = new Random(seed);
  let answers = 0;
  const send: SendExchange = async ({ credential, method, path, headers, body }) => {
    const authorization: Record<string, string> =
      credential === -1
        ? { Cookie: template.cookie }
        : { Authorization: `Bearer ${template.credentials[credential]?.token}` };
    answers += 1;
    if (answers % requestsPerMove === 0) requestMove(world, random);
    const sent = body === undefined ? {} : { body: JSON.parse(body) as unknown };
    const request = { method, path, headers: { ...headers, ...authorization }, ...sent };
    const received: (Answer | "lost")[] = [];
    const receive = async () => {
      received.push(await world.request(answers, request));
    };
    void scheduler.within(scheduler.startActivity(`a${answers}`, answers), receive);
    await settle();
    while (received.length === 0) await letTimePass(world, pauseMs);
    const [answer = "lost"] = received;
    if (answer === "lost") throw new Error(`${method} ${path} was not answered.`);
    return { status: answer.status, etag: answer.headers.get("ETag"), text: answer.text };
  };
  let difference: string | undefined;
  const ownIds = listItems(world.databases.values());
  const single = new World(one.bundle, one.template.image, one.template.now);
  const firstItems = listItems(single.databases.values()).map((id, index): IdPair => {
    return [id, ownIds[index] ?? ""];
  });
  single.close();
  for await (const { request, expected, received } of replay(exchanges, origin, send, firstItems)) {
    if (isDeepStrictEqual(received, expected)) continue;
    difference = `${request}\n  one database:      ${JSON.stringify(expected)}\n  several databases: ${JSON.stringify(received)}`;
    break;
  }
  const flipped = "select 1 from collection_move where phase in ('kept', 'done')";
  const flips = world.home.select(flipped).length;
  world.close();
  return { difference, answers, flips };
}

/** Returns the IDs of all items in the order of their creation, collection by collection. */
function listItems(databases: Iterable<SimulatedDatabase>): string[] {
  const sql = "select id, number from item";
  const items = [...databases].flatMap((db) => db.select<{ id: string; number: number }>(sql));
  return items.toSorted((a, b) => a.number - b.number).map(({ id }) => id);
}

/** The schedule runs each minute and moves collections. */
async function letTimePass(world: World, ms: number): Promise<void> {
  const { scheduler } = world;
  const end = scheduler.now + ms;
  const minute = (Math.floor(scheduler.now / minuteMs) + 1) * minuteMs;
  if (minute <= end) {
    await scheduler.advance(minute);
    world.schedule(0);
    await settle();
  }
  await scheduler.advance(end);
}
