import { Webhook } from "standardwebhooks";
import { Receiver, type Received } from "../dev/receiver.ts";
import { Copy } from "./copy.ts";
import { Difference, type Collection } from "./model.ts";
import type { Random } from "./random.ts";
import { pause, unexpected, type Options, type Sent, type World } from "./world.ts";

/** Follows the changes of collections. Its copies must finally equal the service's data. */
interface Follower {
  /** Runs one step while traffic runs. */
  step(): Promise<void>;
  /** Receives the remaining changes and compares, while no traffic runs. */
  compare(): Promise<void>;
}

type Ask = (kind: string, options: Options) => Promise<Sent>;

/** Reads the changes feeds. Sometimes it loses its position, like a reader that is killed. */
export class Reader implements Follower {
  readonly #world: World;
  readonly #random: Random;
  readonly #feeds: { collection: Collection; copy: Copy; next: string }[];

  constructor(world: World, random: Random, collections: readonly Collection[]) {
    this.#world = world;
    this.#random = random;
    this.#feeds = collections.map((collection) => {
      const next = `/${collection.kind}s/${collection.key}/changes?all=true&limit=50`;
      return { collection, copy: new Copy(`A reader of ${collection.key}`), next };
    });
  }

  async step(): Promise<void> {
    for (const feed of this.#feeds) {
      await this.#page(feed, async (kind, options) => this.#world.send(kind, options));
    }
    await pause(100);
  }

  async compare(): Promise<void> {
    for (const feed of this.#feeds) {
      const { collection, copy } = feed;
      while (await this.#page(feed, async (kind, options) => this.#world.ask(kind, options)));
      const difference = copy.differenceTo(collection);
      if (difference) throw new Difference(`A reader of ${collection.key} ${difference}`);
    }
  }

  /** Applies one page. Returns whether there may be more. */
  async #page(feed: { copy: Copy; next: string }, send: Ask): Promise<boolean> {
    const by = this.#random.pick(this.#world.credentials);
    const response = await send("changes", { method: "GET", path: feed.next, by });
    if (response === "lost" || response.status === 503) return true;
    if (response.status !== 200) throw unexpected("The changes", response);
    const { items, links } = response.body;
    for (const change of items) feed.copy.apply(change);
    this.#world.figures.count("changes read", items.length);
    if (!this.#random.chance(0.05)) feed.next = links.next;
    return items.length > 0;
  }
}

const types = [
  "record.created",
  "record.updated",
  "submission.created",
  "submission.updated",
  "submission.closed",
  "record.deleted",
  "submission.deleted",
];

/** Receives a webhook. It sometimes fails, before or after it processed a message. */
export class Listener implements Follower {
  readonly #world: World;
  readonly #collections: readonly Collection[];
  readonly #copies: Map<string, Copy>;
  readonly #receiver = new Receiver();
  readonly #receivedIds = new Set<string>();
  #path = "";
  #failure: unknown;
  /** Disables failures while the listener receives the remaining messages, because each failure delays the next. */
  #isReliable = false;

  constructor(world: World, collections: readonly Collection[]) {
    this.#world = world;
    this.#collections = collections;
    this.#copies = new Map(
      collections.map(({ kind, key }) => [`${kind}:${key}`, new Copy(`A listener to ${key}`)]),
    );
  }

  async open(random: Random): Promise<void> {
    const url = await this.#receiver.open();
    const collections = [...this.#copies.keys()];
    const { id, secret } = await this.#request("POST", "/webhooks", {
      name: "Soak",
      url,
      types,
      collections,
    });
    this.#path = `/webhooks/${id}`;
    const webhook = new Webhook(secret);
    this.#receiver.answer = (response, _, received) => {
      const failure = this.#isReliable
        ? "no"
        : random.weighted({ no: 97, before: 1, after: 1, silently: 1 });
      if (failure === "before") response.writeHead(500).end();
      else this.#receive(webhook, received);
      // Discards processed messages.
      this.#receiver.forget();
      if (failure === "after") response.writeHead(503).end();
      else if (failure === "silently") response.destroy();
      else if (failure === "no") response.writeHead(204).end();
      return failure === "no";
    };
  }

  close(): void {
    this.#receiver.close();
  }

  async step(): Promise<void> {
    this.#throwFailure();
    await pause(200);
  }

  async compare(): Promise<void> {
    this.#isReliable = true;
    try {
      await this.#waitUntilEqual();
    } finally {
      this.#isReliable = false;
    }
  }

  async #waitUntilEqual(): Promise<void> {
    // On a busy machine many messages may remain, but new ones must keep arriving.
    let [receivedCount, deadline] = [-1, 0];
    for (;;) {
      this.#throwFailure();
      if (this.#receivedIds.size > receivedCount) deadline = Date.now() + 180_000;
      receivedCount = this.#receivedIds.size;
      const differences = this.#collections.flatMap(
        (collection) =>
          this.#copies.get(`${collection.kind}:${collection.key}`)?.differenceTo(collection) ?? [],
      );
      if (differences.length === 0) return;
      if (Date.now() > deadline) {
        const hook = JSON.stringify(await this.#request("GET", this.#path));
        throw new Difference(`A listener ${differences.join("\n")}\nThe webhook: ${hook}`);
      }
      await pause(1000);
      if (this.#receivedIds.size > receivedCount) continue;
      // Triggers the retry of a failed attempt at once.
      for (const state of ["paused", "active"]) await this.#request("PATCH", this.#path, { state });
      await pause(2000);
    }
  }

  #receive(webhook: Webhook, { headers, text }: Received): void {
    try {
      const id = String(headers["webhook-id"]);
      const event = webhook.verify(text, headers as Record<string, string>);
      const { collection, data } = event as { collection: string; data: { id: string } };
      this.#world.figures.count(
        this.#receivedIds.has(id) ? "messages told again" : "messages taken",
      );
      if (this.#receivedIds.has(id)) return;
      this.#receivedIds.add(id);
      this.#copies.get(collection)?.apply(data);
    } catch (error) {
      this.#failure ??= error;
    }
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #request(method: string, path: string, body?: object) {
    const [by] = this.#world.credentials;
    if (!by) throw new Error("Nobody is there to ask.");
    const response = await this.#world.ask("webhook", { method, path, body, by });
    if (response === "lost") throw new Difference("An answer was lost while nothing was killed");
    if (response.status >= 300) throw unexpected("A webhook", response);
    return response.body;
  }
}
