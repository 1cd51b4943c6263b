import type { Random } from "../../soak/random.ts";
import type { Step } from "../plan.ts";
import { collections, type CollectionKey, kindOf } from "../definitions.ts";
import { credentialOfStep, pickCollection, Subject } from "./caller.ts";

interface Reader {
  cursor: string;
  position: number;
  limit: number;
  /** Whether a restore has undone its position. */
  isExpired: boolean;
}

/** Limits pages to this size, so that most plans need two pages or more. */
const wholePage = 50;

/** Clients that follow changes feeds. */
export class Feeds extends Subject {
  readonly steps = {
    feed: (step: Step, random: Random) => this.#feed(step, random),
    wholeFeeds: (step: Step) => this.#readWhole(step),
  };
  readonly #readers = new Map<string, Reader>();

  /** Reads the next page of a changes feed. */
  async #feed(step: Step, random: Random): Promise<void> {
    const { key } = pickCollection(random);
    await this.#readFeed(step, key, random.int(1, 8));
  }

  /** Reads all feeds from the beginning to the end. */
  async #readWhole(step: Step): Promise<void> {
    for (const { key } of collections) {
      this.#readers.delete(`${step.client} ${key}`);
      while (await this.#readFeed(step, key, wholePage));
    }
  }

  async #readFeed(step: Step, key: CollectionKey, firstLimit: number): Promise<boolean> {
    const credential = credentialOfStep(step);
    const readerKey = `${step.client} ${key}`;
    const reader = this.#readers.get(readerKey) ?? {
      cursor: "",
      position: 0,
      limit: firstLimit,
      isExpired: false,
    };
    const { limit } = reader;
    const path = `${kindOf(key)}s/${key}/changes?all=true&limit=${limit}`;
    const own = this.caller.ownMoment(credential, key);
    const { answer } = await this.caller.send(step, "GET", reader.cursor || path);
    const what = `step ${step.number} feed of ${key}`;
    if (!this.caller.isRead(answer, credential, reader.isExpired ? [410] : [200], what))
      return false;
    if (reader.isExpired) {
      this.#readers.delete(readerKey);
      return true;
    }
    const changes = this.caller.history.changes.get(key) ?? [];
    for (const entry of answer.body.items) {
      const expected = changes[reader.position];
      if (entry.id !== expected?.id || entry.version !== expected?.version) {
        this.caller.history.wrong(
          `${what} shows ${entry.id} version ${entry.version}, expected ${expected?.id} version ${expected?.version}`,
        );
        return false;
      }
      if (entry.item) this.caller.history.match(entry.item, what);
      reader.position += 1;
    }
    const missed = changes[reader.position];
    if (answer.body.items.length < limit && missed && missed.commit <= own) {
      this.caller.history.wrong(
        `${what} ends before ${missed.id} version ${missed.version}, a write of its own credential`,
      );
    }
    reader.cursor = answer.body.links.next;
    this.#readers.set(readerKey, reader);
    return answer.body.items.length === limit;
  }

  restore(): void {
    for (const [key, reader] of this.#readers) {
      if (reader.cursor === "") this.#readers.delete(key);
      reader.isExpired = true;
    }
  }
}
