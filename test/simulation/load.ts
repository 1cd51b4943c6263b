import { model, type Measured } from "../../bench/measure/model.ts";
import { Random } from "../soak/random.ts";
import { loadBundle } from "./bundle.ts";
import { settle } from "./platform/scheduler.ts";
import { Queue } from "./platform/queue.ts";
import {
  makeEmptyImage,
  newCredential,
  prepare,
  startOfTime,
  startSession,
  World,
  type Json,
} from "./world.ts";

/**
 * `node --js-base-64 test/simulation/load.ts 4` creates submissions in 4 data databases at their maximum rate, in
 * virtual time, and prints the results as JSON. With `webhook`, a webhook receives all of them.
 */

const [size = "1", hook = ""] = process.argv.slice(2);
const warmUpMs = 700;
const measuredMs = 1000;
const clientsPerDatabase = 60;
const credentialCount = 50;

const names = Array.from({ length: Number(size) }, (_, index) => `DATA_0${index + 1}`);
const image = makeEmptyImage();
const images = Object.fromEntries(["DB", ...names].map((name) => [name, image]));
const world = new World(await loadBundle(), images, startOfTime);
const { scheduler } = world;
scheduler.latencyMs = model.latencyMs;
world.objects.callMs = model.objectMs;
let statements = 0;
for (const db of world.databases.values()) {
  db.lags = false;
  const msOf = (all: number, writes: number) => {
    statements += all;
    return all * model.statementMs + (writes > 0 ? model.commitMs : 0);
  };
  db.writer = { queue: new Queue(scheduler), msOf };
}

const activity = scheduler.startActivity("load", 1);
const cookie = `__Host-session=${await scheduler.within(activity, () => startSession(world))}`;

async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: object,
): Promise<Json> {
  const answer = await world.request(0, { method, path, headers, body });
  if (answer === "lost" || answer.status > 299)
    throw new Error(`${method} ${path}: ${answer === "lost" ? answer : answer.text}`);
  return answer.body;
}

const fields = [
  { key: "name", type: "text" },
  { key: "email", type: "email" },
  { key: "amount", type: "number", searchable: true },
];

const tokens = await prepare(world, async () => {
  const issued: string[] = [];
  for (let index = 0; index < credentialCount; index += 1) {
    const limits = { requests: 100_000, writes: 100_000 };
    issued.push(
      (await send("POST", "/admin/integrations", { Cookie: cookie }, newCredential(limits))).token,
    );
  }
  return issued;
});
const bearer = (index: number) => ({ Authorization: `Bearer ${tokens[index % tokens.length]}` });
await prepare(world, async () => {
  for (const name of names) {
    for (const other of names)
      world.home.commit(
        "insert or replace into data_database (name, used_from) values (?, ?)",
        other,
        other === name ? 0 : Number.MAX_SAFE_INTEGER,
      );
    await send("PUT", `/api/v1/forms/${name.toLowerCase().replace("_", "")}/schema`, bearer(0), {
      fields,
    });
  }
  if (hook !== "")
    await send("POST", "/api/v1/webhooks", bearer(0), {
      name: "all",
      url: "https://one.example/hook",
      types: ["submission.created"],
      collections: "all",
    });
});

let creates = 0;
async function playClient(index: number): Promise<void> {
  const random = new Random(index);
  await scheduler.timer(random.int(0, 200), () => true).done;
  const form = (names[index % names.length] ?? "").toLowerCase().replace("_", "");
  for (;;) {
    const data = {
      name: `n${random.int(0, 1e6)}`,
      email: "a@example.com",
      amount: random.int(0, 99),
    };
    const answer = await world.request(random.int(0, 3), {
      method: "POST",
      path: `/api/v1/forms/${form}/submissions`,
      headers: bearer(random.int(0, credentialCount)),
      body: { data },
    });
    if (answer === "lost" || answer.status !== 201)
      throw new Error(`A create failed: ${answer === "lost" ? answer : answer.text}`);
    creates += 1;
  }
}

let failure: unknown;
for (let index = 0; index < clientsPerDatabase * names.length; index += 1) {
  const own = scheduler.startActivity(`c${index}`, index + 1);
  scheduler.within(own, () => playClient(index)).catch((error: unknown) => (failure = error));
}
await settle();
await scheduler.advance(scheduler.now + warmUpMs);

const busyOf = () => {
  const data = names.map((name) => world.database(name).writer?.queue.busyMs ?? 0);
  const objects = [...world.objects.actors.values()].map(({ queue }) => queue?.busyMs ?? 0);
  return { data, home: world.home.writer?.queue.busyMs ?? 0, objects };
};
const before = { busy: busyOf(), creates, statements, messages: world.receivers.messages.length };
await scheduler.advance(scheduler.now + measuredMs);
if (failure) throw failure;
const after = busyOf();
const shares = (late: readonly number[], early: readonly number[]) =>
  late.map((ms, index) => (ms - (early[index] ?? 0)) / measuredMs);
const perSecond = (count: number) => (count * 1000) / measuredMs;
const result: Measured = {
  creates: perSecond(creates - before.creates),
  statements: (statements - before.statements) / (creates - before.creates),
  data: Math.max(...shares(after.data, before.busy.data)),
  home: (after.home - before.busy.home) / measuredMs,
  object: Math.max(...shares(after.objects, before.busy.objects)),
  messages: perSecond(world.receivers.messages.length - before.messages),
};
process.stdout.write(JSON.stringify(result));
