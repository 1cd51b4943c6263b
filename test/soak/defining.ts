import type { Answer } from "../support/caller.ts";
import { randomChange } from "./change.ts";
import { documentOf, recalculates } from "./definition.ts";
import { Difference, type Collection, type Epoch } from "./model.ts";
import type { Random } from "./random.ts";
import type { Walker } from "./walking.ts";
import {
  pause,
  Stopped,
  unexpected,
  type Credential,
  type Options,
  type Sent,
  type World,
} from "./world.ts";

type Ask = (kind: string, options: Options) => Promise<Sent>;

/** Changes a definition and waits until all resulting work is done. A collection has one change at a time. */
export async function changeDefinition(
  world: World,
  random: Random,
  collection: Collection,
  by: Credential,
  walker: Walker,
): Promise<void> {
  if (collection.changing || world.stopping) return;
  const previous = collection.epoch;
  const definition = randomChange(random, previous.definition);
  const body = documentOf(definition, previous.definition);
  const isUnchanged = JSON.stringify(body) === JSON.stringify(documentOf(previous.definition));
  collection.changing = true;
  collection.indexing = true;
  const epoch = collection.begin(definition, previous.version + (isUnchanged ? 0 : 1));
  if (recalculates(previous.definition, definition)) collection.recalculating = true;
  const response = await world.send("definition", {
    method: "PUT",
    path: collection.definitionPath,
    body,
    headers: random.chance(0.5) ? { "If-Match": `"${previous.version}"` } : {},
    by,
  });
  // The next comparison finds the result of a lost response.
  if (response === "lost") return;
  if (
    response.status === 409 &&
    response.body.code === "schema_in_use" &&
    addsUnique(previous, epoch)
  ) {
    epoch.state = "void";
    claimDuplicates(world, collection, response);
  } else if (![200, 202, 503].includes(response.status)) {
    throw unexpected(`PUT ${JSON.stringify(body)}`, response);
  }
  await waitUntilSettled(collection, by, async (kind, options) => world.send(kind, options));
  if (response.status === 200 && (epoch.state as string) !== "holds") {
    throw unexpected("A definition that was answered does not hold", response);
  }
  if (collection.recalculating) {
    collection.recalculated = world.now();
    collection.recalculating = false;
    await walker.list(collection, by, 200);
  }
  collection.indexing = false;
  collection.changing = false;
}

function addsUnique(previous: Epoch, next: Epoch): boolean {
  const uniqueBefore = new Set(
    previous.definition.fields.filter(({ unique }) => unique).map(({ name }) => name),
  );
  return next.definition.fields.some(({ unique, name }) => unique && !uniqueBefore.has(name));
}

/** Claims that the items in the response have the same value, which prevents the unique field. */
function claimDuplicates(world: World, collection: Collection, response: Answer): void {
  const { field, items } = response.body;
  const name = collection.names.get(field);
  if (name === undefined || !(items?.length >= 2)) throw unexpected("Which items?", response);
  world.claim(`${items.join(" and ")} were said to have the same ${field}`, undefined, () => {
    const [firstValues, ...otherValues] = (items as string[]).map((id) => {
      const item =
        collection.items.get(id) ?? collection.byReceipt.get(id) ?? collection.gone.get(id);
      const states = [...(item?.states.values() ?? [])]
        .flat()
        .filter(({ status }) => status !== "draft");
      return new Set(states.map(({ values }) => JSON.stringify(values[name])));
    });
    return [...(firstValues ?? [])].some(
      (value) => value !== undefined && otherValues.every((values) => values.has(value)),
    );
  });
}

/** Waits until no work on a definition remains, and marks the definition that took effect. */
export async function waitUntilSettled(
  collection: Collection,
  by: Credential,
  send: Ask,
): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const response = await send("schema", { method: "GET", path: collection.definitionPath, by });
    if (response === "lost") throw new Stopped();
    const { body: document, status } = response;
    if (status === 200 && !document.indexing && !isWaiting(document.pending)) {
      decide(collection, document);
      return;
    }
    if (performance.now() > deadline)
      throw unexpected(`${collection.key} is not done in a minute`, response);
    await pause(60);
  }
}

/** Whether a change is still pending. A rejected change stays with its problem, but is not pending. */
function isWaiting(pending: Answer["body"]): boolean {
  return pending !== undefined && pending.problem === undefined;
}

function decide(collection: Collection, body: Answer["body"]): void {
  const current = collection.epochs.findLast(({ state }) => state === "holds");
  const pendingEpochs = collection.epochs.filter(({ state }) => state === "begun");
  const version = body.schema_version as number;
  for (const epoch of pendingEpochs) epoch.state = epoch.version === version ? "holds" : "void";
  if (collection.epoch.version !== version) {
    throw new Difference(
      `${collection.key} has version ${version}, not ${current?.version}: ${JSON.stringify(body)}`,
    );
  }
  const summarize = ({ key, type, searchable, unique, formula }: Answer["body"]) =>
    JSON.stringify([key, type, searchable, unique ?? false, formula]);
  const expected = documentOf(collection.definition).fields.map(summarize).join("\n");
  const actual = (body.fields as Answer["body"][]).map(summarize).join("\n");
  if (expected !== actual)
    throw new Difference(`${collection.key} is defined as\n${actual}\nand not as\n${expected}`);
}
