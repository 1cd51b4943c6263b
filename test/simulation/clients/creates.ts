import type { Random } from "../../soak/random.ts";
import type { Step } from "../plan.ts";
import { collections, type CollectionKey, kindOf } from "../definitions.ts";
import type { Effect, Values, Write } from "../history.ts";
import type { Json } from "../world.ts";
import { codes, credentialOfStep, pathOf, pickCollection, Subject } from "./caller.ts";
import { createEffect, incrementEffect, upsertEffect } from "./effects.ts";

/** A create or batch that a client may send again with its key. */
interface Keyed {
  credential: number;
  path: string;
  key: string;
  body: object;
  write: Write;
  /** The result of the first response, shared by all requests with the key. */
  first: { result: Json; once: Write["once"] };
}

const keyOf = (step: Step) => `k${Math.ceil(step.number / 3)}`;

/** Clients that create, alone and in batches, and retry. */
export class Creates extends Subject {
  readonly steps = {
    create: (step: Step, random: Random) => this.#create(step, random),
    retry: (step: Step, random: Random) => this.#retry(step, random),
    upsert: (step: Step, random: Random) => this.#upsert(step, random),
    batch: (step: Step, random: Random) => this.#mixedBatch(step, random),
  };
  readonly #keyed: Keyed[] = [];

  async #create(step: Step, random: Random): Promise<void> {
    const { key } = pickCollection(random);
    const data = this.caller.newValues(step, random);
    const isDraft = kindOf(key) === "form" && random.chance(0.15);
    const status = kindOf(key) === "app" ? null : isDraft ? "draft" : "submitted";
    const body = { ...(isDraft ? { status } : {}), data };
    const credential = credentialOfStep(step);
    const path = pathOf(key);
    const hasKey = random.chance(0.7);
    const first = this.#firstWith(credential, path, step, hasKey);
    const write = this.caller.write(
      step,
      `create ${JSON.stringify(data)} in ${key}`,
      key,
      [createEffect(data, status)],
      first.once,
    );
    const keyed: Keyed = { credential, path, key: keyOf(step), body, write, first };
    if (hasKey) this.#keyed.push(keyed);
    await this.#sendCreate(step, keyed, write, hasKey);
  }

  /**
   * Returns the first response of a key. Neighbouring steps use the same keys, randomly with other contents or callers.
   */
  #firstWith(credential: number, path: string, step: Step, hasKey: boolean): Keyed["first"] {
    const key = keyOf(step);
    const same = this.#keyed.find(
      (keyed) => keyed.credential === credential && keyed.path === path && keyed.key === key,
    );
    return (hasKey && same?.first) || { result: undefined, once: { commit: null } };
  }

  async #sendCreate(step: Step, keyed: Keyed, write: Write, hasKey: boolean): Promise<void> {
    const { collection } = write;
    const data = (keyed.body as { data?: Values }).data ?? {};
    const headers = {
      "X-Request-Id": write.request,
      ...(hasKey ? { "Idempotency-Key": keyed.key } : {}),
    };
    const { answer, started, ended } = await this.caller.send(
      step,
      "POST",
      keyed.path,
      keyed.body,
      headers,
      keyed.credential,
    );
    if (answer === "lost") return;
    if (!this.caller.settle(write, answer, [201, 409], keyed.credential)) {
      if (answer.status === 409)
        this.caller.judgeConflict(write, answer, [data["code"]], started, ended);
      return;
    }
    const { commit } = write.once;
    if (commit === null) {
      this.caller.history.wrong(`${write.description} was answered 201, but is not stored`);
      return;
    }
    if (keyed.first.result && keyed.first.result.id !== answer.body.id) {
      this.caller.history.wrong(
        `${write.description} returned ${answer.body.id} and ${keyed.first.result.id} for one key`,
      );
    }
    const isReplay = answer.headers.get("Idempotent-Replayed") === "true";
    if (isReplay === (write.commit !== null))
      this.caller.history.wrong(`${write.description}: Idempotent-Replayed is ${isReplay}`);
    keyed.first.result = answer.body;
    this.caller.history.match(answer.body, write.description);
    this.caller.acknowledge(keyed.credential, write);
    if (!this.caller.history.items.has(answer.body.id))
      this.caller.history.wrong(`${collection} lacks ${answer.body.id}`);
  }

  /** Sends a create or a batch again, like a client without a response, or sends two at once. */
  async #retry(step: Step, random: Random): Promise<void> {
    const recent = this.#keyed.slice(-6);
    if (recent.length === 0) return;
    const keyed = random.pick(recent);
    const { write: first } = keyed;
    const again = () =>
      this.caller.write(
        step,
        `again: ${first.description}`,
        first.collection,
        first.effects,
        first.once,
        keyed.credential,
      );
    const attempts = Array.from({ length: random.chance(0.3) ? 2 : 1 }, again);
    await Promise.all(
      attempts.map((write) =>
        "operations" in keyed.body
          ? this.#sendBatch(step, keyed, write)
          : this.#sendCreate(step, keyed, write, true),
      ),
    );
  }

  async #upsert(step: Step, random: Random): Promise<void> {
    const { key } = random.pick(collections.slice(0, 2));
    const data = { title: `u${step.number}`, code: random.pick(codes), n: random.int(0, 3) };
    const effects = [upsertEffect(data, kindOf(key) === "app" ? null : "submitted")];
    await this.#batch(step, random, key, [{ op: "upsert", by: "code", data }], effects);
  }

  async #mixedBatch(step: Step, random: Random): Promise<void> {
    const { key } = pickCollection(random);
    const operations: object[] = [];
    const effects: Effect[] = [];
    for (const item of random.some(this.caller.history.live(key).slice(-5), 2, 0)) {
      operations.push({ op: "update", id: item.id, data: { n: { $increment: 1 } } });
      effects.push(incrementEffect(item.id));
    }
    for (let count = random.int(1, 3); count > 0; count -= 1) {
      const data = { ...this.caller.newValues(step, random), title: `b${step.number}.${count}` };
      operations.push({ op: "create", data });
      effects.push(createEffect(data, kindOf(key) === "app" ? null : "submitted"));
    }
    await this.#batch(step, random, key, operations, effects);
  }

  async #batch(
    step: Step,
    random: Random,
    key: CollectionKey,
    operations: object[],
    effects: Effect[],
  ): Promise<void> {
    const credential = credentialOfStep(step);
    const path = `${pathOf(key)}/batch`;
    const hasKey = random.chance(0.7);
    const first = this.#firstWith(credential, path, step, hasKey);
    const write = this.caller.write(
      step,
      `batch ${JSON.stringify(operations)} in ${key}`,
      key,
      effects,
      first.once,
    );
    const keyed: Keyed = { credential, path, key: keyOf(step), body: { operations }, write, first };
    if (hasKey) this.#keyed.push(keyed);
    await this.#sendBatch(step, keyed, write);
  }

  async #sendBatch(step: Step, keyed: Keyed, write: Write): Promise<void> {
    const headers = {
      "X-Request-Id": write.request,
      ...(this.#keyed.includes(keyed) ? { "Idempotency-Key": keyed.key } : {}),
    };
    const { answer } = await this.caller.send(
      step,
      "POST",
      keyed.path,
      keyed.body,
      headers,
      keyed.credential,
    );
    if (answer === "lost" || !this.caller.settle(write, answer, [200, 404, 409], keyed.credential))
      return;
    const outcomes = answer.body.results.map(({ id, outcome }: Json) => [id, outcome]);
    const isChanged = outcomes.some(([, outcome]: Json) => outcome !== "unchanged");
    if (isChanged && write.once.commit === null)
      this.caller.history.wrong(`${write.description} was answered 200, but is not stored`);
    const { result } = keyed.first;
    if (result && JSON.stringify(result) !== JSON.stringify(outcomes)) {
      this.caller.history.wrong(
        `${write.description} returned ${JSON.stringify(outcomes)} and ${JSON.stringify(
          result,
        )} for one key`,
      );
    }
    if (this.#keyed.includes(keyed)) keyed.first.result = outcomes;
    this.caller.acknowledge(keyed.credential, write);
  }

  restore(): void {
    for (const { first } of this.#keyed) if (first.once.commit === null) first.result = undefined;
  }
}
