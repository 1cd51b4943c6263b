import type { Random } from "../../soak/random.ts";
import type { Step } from "../plan.ts";
import { type CollectionKey } from "../definitions.ts";
import type { Json } from "../world.ts";
import {
  codes,
  credentialOfStep,
  isGone,
  itemPath,
  pathOf,
  pickCollection,
  Subject,
} from "./caller.ts";

interface Walk {
  next: string | null;
  collection: CollectionKey;
  lastNumber: number;
  from: number;
}
import { explain } from "./explain.ts";

/** Clients that read items, search and page. */
export class Reads extends Subject {
  readonly steps = {
    read: (step: Step, random: Random) => this.#read(step, random),
    search: (step: Step, random: Random) => this.#search(step, random),
    walk: (step: Step, random: Random) => this.#walk(step, random),
  };
  readonly #walks = new Map<number, Walk>();

  async #read(step: Step, random: Random): Promise<void> {
    const { key } = pickCollection(random);
    const item = this.caller.pickItem(random, key);
    if (!item) return;
    const credential = credentialOfStep(step);
    const own = this.caller.ownMoment(credential, key);
    const isStrong = random.chance(0.4);
    const headers: Record<string, string> = isStrong ? { "Cache-Control": "no-cache" } : {};
    const { answer, started, ended } = await this.caller.send(
      step,
      "GET",
      itemPath(key, item.id),
      undefined,
      headers,
    );
    if (!this.caller.isRead(answer, credential, [200, 404], `GET ${item.id}`)) return;
    if (answer.status === 404) {
      if (!isGone(item.states, ended))
        this.caller.history.wrong(`GET ${item.id} returned 404, but it exists`);
      return;
    }
    const state = this.caller.history.match(answer.body, `step ${step.number} GET ${item.id}`);
    const oldest = isStrong ? started : own;
    if (state && state.until <= oldest) {
      const whose = isStrong ? "the newest version" : "its own write";
      this.caller.history.wrong(
        `step ${step.number} GET ${item.id} shows version ${state.version}, which is older than ${whose}`,
      );
    }
  }

  async #search(step: Step, random: Random): Promise<void> {
    const { key } = pickCollection(random);
    const credential = credentialOfStep(step);
    const own = this.caller.ownMoment(credential, key);
    const [field, value] = random.pick([
      ["n", random.int(0, 4)],
      ["code", random.pick(codes)],
      ["kind", "red"],
    ] as const);
    const body = { conditions: [{ field, op: "eq", value }], limit: 200 };
    const what = `step ${step.number} search ${key} for ${field} = ${value}`;
    const { answer, ended } = await this.caller.send(step, "POST", `${pathOf(key)}/search`, body);
    if (!this.caller.isRead(answer, credential, [200, 409, 422], what)) return;
    if (answer.status === 200 && answer.body.links.next === null) {
      explain(this.caller.history, {
        what,
        key,
        documents: answer.body.items,
        oldest: own,
        newest: ended,
        matches: (state) => (state.values[field] ?? null) === value,
      });
    } else if (answer.status === 409 && answer.body.code !== "indexing")
      this.caller.history.wrong(`${what}: ${answer.text}`);
  }

  /** Reads one page of a list, and continues from there the next time. */
  async #walk(step: Step, random: Random): Promise<void> {
    const credential = credentialOfStep(step);
    const { key } = pickCollection(random);
    const started: Walk = {
      next: `${pathOf(key)}?limit=${random.int(1, 6)}`,
      collection: key,
      lastNumber: 0,
      from: 0,
    };
    const walk = this.#walks.get(step.client) ?? started;
    this.#walks.set(step.client, walk);
    if (walk.next === null) return;
    const what = `step ${step.number} list ${walk.next.slice(0, 60)}`;
    const oldest = Math.max(walk.from, this.caller.ownMoment(credential, walk.collection));
    const { answer, ended } = await this.caller.send(step, "GET", walk.next);
    if (!this.caller.isRead(answer, credential, [200], what)) return;
    const { items, links } = answer.body;
    const numbers = items.map(
      ({ id }: Json) => this.caller.history.items.get(id)?.number ?? 0,
    ) as number[];
    const last = links.next === null ? Infinity : (numbers.at(-1) ?? walk.lastNumber);
    if (numbers.some((number, index) => number <= (numbers[index - 1] ?? walk.lastNumber))) {
      this.caller.history.wrong(`${what} goes back: ${numbers.join()} after ${walk.lastNumber}`);
    }
    const { lastNumber } = walk;
    walk.from = explain(this.caller.history, {
      what,
      key: walk.collection,
      documents: items,
      oldest,
      newest: ended,
      matches: (_, number) => number > lastNumber && number <= last,
    });
    walk.lastNumber = numbers.at(-1) ?? lastNumber;
    walk.next = links.next;
    if (links.next === null) this.#walks.delete(step.client);
  }

  restore(): void {
    this.#walks.clear();
  }
}
