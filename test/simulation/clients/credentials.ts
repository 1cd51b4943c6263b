import type { Random } from "../../soak/random.ts";
import type { Step } from "../plan.ts";
import { newCredential } from "../world.ts";
import { pathOf, Subject, type Caller } from "./caller.ts";
import { createEffect } from "./effects.ts";

/**
 * The maximum time for which an object may use an old credential whose change could not be pushed, plus the difference
 * of clocks.
 */
const healsAfterMs = 65_000;
/** The maximum difference between the clocks of two places. */
const clockErrorMs = 2000;

/** The time when something began to end, and the time when it had certainly ended. */
interface End {
  endingSince: number;
  endedAt: number;
}

interface Guest extends End {
  id: string;
  tokens: (End & { token: string })[];
  isNarrowedSince: number;
  narrowingSince: number;
  /** Whether a restore has undone the recorded facts. */
  isForgotten: boolean;
  /** Whether a change is running. Changes of one credential do not overlap, so that the effect of each one is known. */
  isChanging: boolean;
}

const never: End = { endedAt: Infinity, endingSince: Infinity };

const newGuest = (id: string, tokens: Guest["tokens"]): Guest => ({
  id,
  tokens,
  ...never,
  isNarrowedSince: Infinity,
  narrowingSince: Infinity,
  isForgotten: false,
  isChanging: false,
});

/** Members who issue, change and end credentials, and their users. */
export class Credentials extends Subject {
  readonly steps = {
    issue: (step: Step) => this.#issue(step),
    revoke: (step: Step, random: Random) => this.#revoke(step, random),
    rotate: (step: Step, random: Random) => this.#rotate(step, random),
    narrow: (step: Step, random: Random) => this.#narrow(step, random),
    guest: (step: Step, random: Random) => this.#guest(step, random),
  };
  readonly #guests: Guest[];

  constructor(caller: Caller) {
    super(caller);
    const { id, former, token, formerEndsAt } = caller.template.rotated;
    const ending = { endingSince: formerEndsAt - 10_000, endedAt: formerEndsAt + clockErrorMs };
    this.#guests = [
      newGuest(id, [
        { token: former, ...ending },
        { token, ...never },
      ]),
    ];
  }

  async #issue(step: Step): Promise<void> {
    const { answer } = await this.caller.send(
      step,
      "POST",
      "/admin/integrations",
      newCredential({ requests: 100_000, writes: 100_000 }),
    );
    if (answer === "lost" || answer.status !== 201) return;
    const { id, token } = answer.body;
    this.#guests.push(newGuest(id, [{ token, ...never }]));
  }

  /** Picks a credential with a token that may still be valid and that no other client is changing. */
  #pickGuest(random: Random): Guest | undefined {
    const guests = this.#guests.filter(
      ({ tokens, endingSince, isChanging }) =>
        !isChanging && endingSince === Infinity && tokens.at(-1)?.endingSince === Infinity,
    );
    return guests.length > 0 ? random.pick(guests) : undefined;
  }

  async #revoke(step: Step, random: Random): Promise<void> {
    const guest = this.#pickGuest(random);
    if (!guest) return;
    await this.#whileInUse(step, random, guest, async () => {
      guest.endingSince = Math.min(guest.endingSince, this.caller.world.scheduler.now);
      await this.#end(
        step,
        guest,
        "revoke",
        {},
        [guest],
        "select revoked_at as done from credential where id = ?",
      );
    });
  }

  /** Uses a credential before, while and after it changes. Its object may restart in between. */
  async #whileInUse(
    step: Step,
    random: Random,
    guest: Guest,
    change: () => Promise<void>,
  ): Promise<void> {
    guest.isChanging = true;
    const use = () => this.#useGuest(step, random, guest);
    const actor = () => this.caller.world.objects.actors.get(`CredentialGate:${guest.id}`);
    await use();
    const pause = (from: number, to: number) =>
      this.caller.world.scheduler.timer(random.int(from, to), () => true).done;
    const isCut = random.chance(0.15);
    const isOld = !isCut && random.chance(0.5);
    if (isCut) actor()?.cut(random.int(100, 5000));
    // By then, the object reloads the credential on its next use, in parallel with the change.
    if (isOld) await pause(31_000, 62_000);
    const uses = Array.from({ length: random.int(isOld ? 1 : 0, 2) }, use);
    await Promise.all([change(), ...uses]);
    guest.isChanging = false;
    if (random.chance(0.4)) actor()?.stop("is killed");
    await use();
    const leftMs = guest.endedAt - this.caller.world.scheduler.now;
    // The revocation did not reach the object, so the object must reload the credential.
    if (leftMs > 0 && leftMs < Infinity) await pause(leftMs, leftMs + 5000);
    else if (random.chance(0.3)) await pause(0, 80_000);
    await use();
  }

  async #rotate(step: Step, random: Random): Promise<void> {
    const guest = this.#pickGuest(random);
    if (!guest) return;
    await this.#whileInUse(step, random, guest, async () => {
      const former = [...guest.tokens];
      for (const token of former)
        token.endingSince = Math.min(token.endingSince, this.caller.world.scheduler.now);
      const answer = await this.#end(step, guest, "rotate", { overlap: "none" }, former, "");
      // Without a response, the change may have happened or may still happen.
      if (!answer) guest.endingSince = 0;
      if (answer?.body?.token)
        guest.tokens.push({ token: answer.body.token, endedAt: Infinity, endingSince: Infinity });
    });
  }

  /** Changes a credential. If the push failed, the object notices the change within a minute. */
  async #end(
    step: Step,
    guest: Guest,
    action: string,
    body: object,
    ending: readonly End[],
    check: string,
  ) {
    const { answer } = await this.caller.send(
      step,
      "POST",
      `/admin/integrations/${guest.id}/${action}`,
      body,
    );
    const { now } = this.caller.world.scheduler;
    const isDone = answer !== "lost" && answer.status < 300;
    const isStored =
      check !== "" &&
      this.caller.world.home.select<{ done: number | null }>(check, guest.id)[0]?.done != null;
    if (!isDone && !isStored) return undefined;
    for (const end of ending)
      end.endedAt = Math.min(end.endedAt, isDone ? now : now + healsAfterMs);
    return isDone ? answer : undefined;
  }

  /** Removes the permission to write from a credential. */
  async #narrow(step: Step, random: Random): Promise<void> {
    const guest = this.#pickGuest(random);
    if (!guest) return;
    await this.#whileInUse(step, random, guest, async () => {
      guest.narrowingSince = Math.min(guest.narrowingSince, this.caller.world.scheduler.now);
      const { answer } = await this.caller.send(step, "POST", `/admin/integrations/${guest.id}`, {
        permissions: ["records:read"],
      });
      if (answer !== "lost" && answer.status === 200)
        guest.isNarrowedSince = Math.min(guest.isNarrowedSince, this.caller.world.scheduler.now);
    });
  }

  /** Uses a credential that may have been revoked, rotated or narrowed. */
  async #guest(step: Step, random: Random): Promise<void> {
    if (this.#guests.length === 0) return;
    await this.#useGuest(step, random, random.pick(this.#guests.slice(-3)));
  }

  async #useGuest(step: Step, random: Random, guest: Guest): Promise<void> {
    if (guest.isForgotten) return;
    const token = random.pick(guest.tokens);
    const headers = { Authorization: `Bearer ${token.token}` };
    const isWrite = random.chance(0.5);
    const data = { title: `g${step.number}` };
    const write = this.caller.write(step, `guest create`, "parcels", [createEffect(data, null)]);
    write.actor = `credential:${guest.id}`;
    const { answer, startedAt } = isWrite
      ? await this.caller.send(
          step,
          "POST",
          pathOf("parcels"),
          { data },
          { ...headers, "X-Request-Id": write.request },
        )
      : await this.caller.send(step, "GET", "me", undefined, headers);
    if (answer === "lost" || answer.status === 503 || guest.isForgotten) return;
    const what = `step ${step.number}: the token ${guest.tokens.indexOf(token)} of ${guest.id}`;
    if (answer.status === 401) {
      if (Math.min(token.endingSince, guest.endingSince) > this.caller.world.scheduler.now)
        this.caller.history.wrong(`${what} is valid, but refused`);
      this.caller.refuse(write);
    } else if (startedAt >= Math.min(token.endedAt, guest.endedAt)) {
      this.caller.history.wrong(
        `${what} ended at ${Math.min(token.endedAt, guest.endedAt)}, but works at ${startedAt}: ${
          answer.status
        }`,
      );
    } else if (isWrite && answer.status === 403) {
      if (guest.narrowingSince > this.caller.world.scheduler.now)
        this.caller.history.wrong(`${what} may write, but is refused`);
      this.caller.refuse(write);
    } else if (isWrite && startedAt >= guest.isNarrowedSince) {
      this.caller.history.wrong(
        `${what} lost its right to write at ${guest.isNarrowedSince}, but writes at ${startedAt}: ${answer.status}`,
      );
    } else if (isWrite && answer.status !== 201)
      this.caller.history.wrong(`${what} got ${answer.status}`);
  }

  restore(): void {
    const { world } = this.caller;
    const { now } = world.scheduler;
    // The database shows the current rights of the others.
    const unknown = this.#guests.filter(
      ({ id }) => world.home.select("select 1 from credential where id = ?", id).length === 0,
    );
    for (const guest of this.#guests) guest.isForgotten = !unknown.includes(guest);
    this.#guests.splice(0, Infinity, ...unknown);
    for (const guest of unknown) Object.assign(guest, { endedAt: now, endingSince: 0 });
  }
}
