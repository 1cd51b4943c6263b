import type { Answer } from "../../src/dev/caller.ts";
import { changed } from "./change.ts";
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

/** Changes a definition, and waits until all that follows from it is done. One at a time in a collection. */
export async function changeDefinition(
  world: World,
  random: Random,
  collection: Collection,
  by: Credential,
  walker: Walker,
): Promise<void> {
  if (collection.changing || world.stopping) return;
  const before = collection.epoch;
  const definition = changed(random, before.definition);
  const body = documentOf(definition, before.definition);
  const same = JSON.stringify(body) === JSON.stringify(documentOf(before.definition));
  collection.changing = true;
  collection.indexing = true;
  const epoch = collection.begin(definition, before.version + (same ? 0 : 1));
  if (recalculates(before.definition, definition)) collection.recalculating = true;
  const answer = await world.send("definition", {
    method: "PUT",
    path: collection.definitionPath,
    body,
    headers: random.chance(0.5) ? { "If-Match": `"${before.version}"` } : {},
    by,
  });
  // What a lost answer left behind, the next comparison says.
  if (answer === "lost") return;
  if (answer.status === 409 && answer.body.code === "schema_in_use" && gains(before, epoch)) {
    epoch.state = "void";
    claimDuplicates(world, collection, answer);
  } else if (![200, 202, 503].includes(answer.status)) {
    throw unexpected(`PUT ${JSON.stringify(body)}`, answer);
  }
  await settled(collection, by, async (kind, options) => world.send(kind, options));
  if (answer.status === 200 && (epoch.state as string) !== "holds") {
    throw unexpected("A definition that was answered does not hold", answer);
  }
  if (collection.recalculating) {
    collection.recalculated = world.now();
    collection.recalculating = false;
    await walker.list(collection, by, 200);
  }
  collection.indexing = false;
  collection.changing = false;
}

function gains(before: Epoch, after: Epoch): boolean {
  const had = new Set(
    before.definition.fields.filter(({ unique }) => unique).map(({ name }) => name),
  );
  return after.definition.fields.some(({ unique, name }) => unique && !had.has(name));
}

/** Items are named that have one value, so that a field cannot become unique. */
function claimDuplicates(world: World, collection: Collection, answer: Answer): void {
  const { field, items } = answer.body;
  const name = collection.names.get(field);
  if (name === undefined || !(items?.length >= 2)) throw unexpected("Which items?", answer);
  world.claim(`${items.join(" and ")} were said to have the same ${field}`, undefined, () => {
    const [one, ...others] = (items as string[]).map((id) => {
      const item =
        collection.items.get(id) ?? collection.byReceipt.get(id) ?? collection.gone.get(id);
      const states = [...(item?.states.values() ?? [])]
        .flat()
        .filter(({ status }) => status !== "draft");
      return new Set(states.map(({ values }) => JSON.stringify(values[name])));
    });
    return [...(one ?? [])].some(
      (value) => value !== undefined && others.every((other) => other.has(value)),
    );
  });
}

/** Waits until no work is left of a definition, and says which one holds. */
export async function settled(collection: Collection, by: Credential, ask: Ask): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const answer = await ask("schema", { method: "GET", path: collection.definitionPath, by });
    if (answer === "lost") throw new Stopped();
    const { body, status } = answer;
    if (status === 200 && !body.indexing && !isWaiting(body.pending)) {
      decide(collection, body);
      return;
    }
    if (performance.now() > deadline)
      throw unexpected(`${collection.key} is not done in a minute`, answer);
    await pause(60);
  }
}

/** A change that was dropped shows why, and waits for nothing. */
function isWaiting(pending: Answer["body"]): boolean {
  return pending !== undefined && pending.problem === undefined;
}

function decide(collection: Collection, body: Answer["body"]): void {
  const holds = collection.epochs.findLast(({ state }) => state === "holds");
  const begun = collection.epochs.filter(({ state }) => state === "begun");
  const version = body.schema_version as number;
  for (const epoch of begun) epoch.state = epoch.version === version ? "holds" : "void";
  if (collection.epoch.version !== version) {
    throw new Difference(
      `${collection.key} has version ${version}, not ${holds?.version}: ${JSON.stringify(body)}`,
    );
  }
  const said = ({ key, type, searchable, unique, formula }: Answer["body"]) =>
    JSON.stringify([key, type, searchable, unique ?? false, formula]);
  const expected = documentOf(collection.definition).fields.map(said).join("\n");
  const has = (body.fields as Answer["body"][]).map(said).join("\n");
  if (expected !== has)
    throw new Difference(`${collection.key} is defined as\n${has}\nand not as\n${expected}`);
}
