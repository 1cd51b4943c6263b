import { Webhook } from "standardwebhooks";
import { Receiver, type Received } from "../dev/receiver.ts";
import { Copy } from "./copy.ts";
import { Difference, type Collection } from "./model.ts";
import type { Random } from "./random.ts";
import { pause, unexpected, type Options, type Sent, type World } from "./world.ts";

/** Two who are told of changes, and have to end with what the service has. */
interface Following {
  /** One look, while traffic runs. */
  once(): Promise<void>;
  /** While no traffic runs: takes in what is left, and compares. */
  compare(): Promise<void>;
}

type Ask = (kind: string, options: Options) => Promise<Sent>;

/** Reads the changes feeds, and now and then forgets to keep how far it came, as one that is killed. */
export class Reader implements Following {
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

  async once(): Promise<void> {
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

  /** Takes in a page; whether there may be more. */
  async #page(feed: { copy: Copy; next: string }, ask: Ask): Promise<boolean> {
    const by = this.#random.pick(this.#world.credentials);
    const answer = await ask("changes", { method: "GET", path: feed.next, by });
    if (answer === "lost" || answer.status === 503) return true;
    if (answer.status !== 200) throw unexpected("The changes", answer);
    const { items, links } = answer.body;
    for (const change of items) feed.copy.take(change);
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
  "submission.deleted",
];

/** Receives a webhook: it fails now and then, before it took a message or after. */
export class Listener implements Following {
  readonly #world: World;
  readonly #collections: readonly Collection[];
  readonly #copies: Map<string, Copy>;
  readonly #receiver = new Receiver();
  readonly #known = new Set<string>();
  #path = "";
  #failed: unknown;
  /** Nothing fails while what is left is taken in: each failure pauses the webhook. */
  #steady = false;

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
    const { id, secret } = await this.#ask("POST", "/webhooks", {
      name: "Soak",
      url,
      types,
      collections,
    });
    this.#path = `/webhooks/${id}`;
    const webhook = new Webhook(secret);
    this.#receiver.answer = (response, _, received) => {
      const fails = this.#steady
        ? "no"
        : random.weighted({ no: 97, before: 1, after: 1, silently: 1 });
      if (fails === "before") response.writeHead(500).end();
      else this.#take(webhook, received);
      // They are of the past: nobody asks for them.
      this.#receiver.forget();
      if (fails === "after") response.writeHead(503).end();
      else if (fails === "silently") response.destroy();
      else if (fails === "no") response.writeHead(204).end();
      return fails === "no";
    };
  }

  close(): void {
    this.#receiver.close();
  }

  async once(): Promise<void> {
    this.#unlessFailed();
    await pause(200);
  }

  async compare(): Promise<void> {
    this.#steady = true;
    try {
      await this.#caughtUp();
    } finally {
      this.#steady = false;
    }
  }

  async #caughtUp(): Promise<void> {
    // It may have much to take, on a busy machine; but it has to go on.
    let [known, end] = [-1, 0];
    for (;;) {
      this.#unlessFailed();
      if (this.#known.size > known) end = Date.now() + 180_000;
      known = this.#known.size;
      const differences = this.#collections.flatMap(
        (each) => this.#copies.get(`${each.kind}:${each.key}`)?.differenceTo(each) ?? [],
      );
      if (differences.length === 0) return;
      if (Date.now() > end) {
        const hook = JSON.stringify(await this.#ask("GET", this.#path));
        throw new Difference(`A listener ${differences.join("\n")}\nThe webhook: ${hook}`);
      }
      await pause(1000);
      if (this.#known.size > known) continue;
      // A try that failed is made again at once, and not by its schedule.
      for (const state of ["paused", "active"]) await this.#ask("PATCH", this.#path, { state });
      await pause(2000);
    }
  }

  #take(webhook: Webhook, { headers, text }: Received): void {
    try {
      const id = String(headers["webhook-id"]);
      const told = webhook.verify(text, headers as Record<string, string>);
      const { collection, data } = told as { collection: string; data: { id: string } };
      this.#world.figures.count(this.#known.has(id) ? "messages told again" : "messages taken");
      if (this.#known.has(id)) return;
      this.#known.add(id);
      this.#copies.get(collection)?.take(data);
    } catch (error) {
      this.#failed ??= error;
    }
  }

  #unlessFailed(): void {
    if (this.#failed !== undefined) throw this.#failed;
  }

  async #ask(method: string, path: string, body?: object) {
    const [by] = this.#world.credentials;
    if (!by) throw new Error("Nobody is there to ask.");
    const answer = await this.#world.ask("webhook", { method, path, body, by });
    if (answer === "lost") throw new Difference("An answer was lost while nothing was killed");
    if (answer.status >= 300) throw unexpected("A webhook", answer);
    return answer.body;
  }
}
