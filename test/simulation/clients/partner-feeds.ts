import { isDeepStrictEqual } from "node:util";
import type { Random } from "../../soak/random.ts";
import type { SeenThrough } from "../definitions.ts";
import { hasOtherKinds, type Change } from "../history.ts";
import type { Step } from "../plan.ts";
import { partner, type Json } from "../world.ts";
import { Subject } from "./caller.ts";
import { judgeHidden, judgeShown } from "./visibility.ts";

interface Reader {
  cursor: string;
  /** The position in the list of all changes that the next page starts from. */
  position: number;
  limit: number;
  /** The times when the last page was requested and received. */
  started: number;
  ended: number;
  /** Whether a restore has undone its position. */
  isExpired: boolean;
}

const leftMembers: ReadonlySet<string> = new Set(["id", "type", "version", "etag", "at"]);

/** A partner that follows the changes of the orders through a view, while the view changes. */
export class PartnerFeeds extends Subject {
  readonly steps = {
    partnerFeed: (step: Step, random: Random) => this.#read(step, random.int(1, 6)),
    wholePartnerFeed: (step: Step) => this.#readWhole(step),
  };
  readonly #readers = new Map<number, Reader>();

  async #readWhole(step: Step): Promise<void> {
    this.#readers.delete(step.client);
    while (await this.#read(step, 50));
  }

  /** Reads the next page. Returns whether more pages may follow. */
  async #read(step: Step, firstLimit: number): Promise<boolean> {
    const { history } = this.caller;
    const what = `step ${step.number} feed of the partner`;
    const reader = this.#readers.get(step.client);
    const limit = reader?.limit ?? firstLimit;
    const path = reader?.cursor ?? `forms/orders/changes?all=true&limit=${limit}`;
    const sent = await this.caller.send(step, "GET", path, undefined, {}, partner);
    const { answer, started, ended } = sent;
    if (reader !== this.#readers.get(step.client)) return false;
    const allowed = this.#allowed(reader, started, ended);
    // The former version does not notice that a view changed and changed back.
    if (answer !== "lost" && answer.isFormer) allowed.push(200);
    if (!this.caller.isRead(answer, partner, allowed, what)) return false;
    // The view changed concurrently, so the expected content of the page is unknown.
    if (
      answer.status === 410 ||
      history.viewChanges(reader?.started ?? started, ended).length > 0
    ) {
      this.#readers.delete(step.client);
      return answer.status === 410;
    }
    const position = this.#judge(what, answer.body.items, reader?.position ?? 0, {
      started,
      ended,
      isWhole: answer.body.items.length < limit,
    });
    if (position === null) return false;
    const cursor = answer.body.links.next;
    this.#readers.set(step.client, {
      cursor,
      position,
      limit,
      started,
      ended,
      isExpired: false,
    });
    return answer.body.items.length === limit;
  }

  /** Returns the allowed statuses. A cursor expires when the view changes. */
  #allowed(reader: Reader | undefined, started: number, ended: number): number[] {
    if (!reader) return [200];
    const { history } = this.caller;
    if (reader.isExpired) return [410];
    if (history.viewChanges(reader.ended, started).length > 0)
      return this.#mayHaveChangedBack(reader, started, ended) ? [200, 410] : [410];
    const mayExpire = history.viewChanges(reader.started, ended).length > 0 || this.#isMixed;
    return mayExpire ? [200, 410] : [200];
  }

  /** The former version does not record that it changed a view, so the current version may not notice it either. */
  #mayHaveChangedBack(reader: Reader, started: number, ended: number): boolean {
    const { history } = this.caller;
    const before = history.viewsBetween(reader.started, reader.ended);
    const after = history.viewsBetween(started, ended);
    return (
      this.#isMixed && before.some((view) => after.some((other) => isDeepStrictEqual(view, other)))
    );
  }

  /** The former version counts views as changed more often. */
  get #isMixed(): boolean {
    return this.caller.world.bundles.size > 1;
  }

  /** Returns the position after the page. Null if the page is wrong. */
  #judge(
    what: string,
    entries: readonly Json[],
    from: number,
    page: { started: number; ended: number; isWhole: boolean },
  ): number | null {
    const { history } = this.caller;
    const { started, ended, isWhole } = page;
    const changes = history.changes.get("orders") ?? [];
    const seen = history.viewAt(started);
    // The feed begins at the change that made the view show these orders. A former version that changes a view does not
    // record this, so both versions then return earlier changes.
    const since = history.viewChanges(-1, started, hasOtherKinds).at(-1) ?? -1;
    let position = from;
    for (const entry of entries) {
      const isExpected = ({ id, version, seenAs, commit }: Change) =>
        (commit > since || this.#isMixed) &&
        seenAs === entry.type &&
        id === entry.id &&
        version === entry.version;
      const index = changes.findIndex((change, each) => each >= position && isExpected(change));
      if (index === -1) {
        history.wrong(`${what} shows ${entry.type} ${entry.id} version ${entry.version} wrongly`);
        return null;
      }
      this.#judgeSkipped(what, changes.slice(position, index), since);
      this.#judgeEntry(what, entry, seen, started, ended);
      position = index + 1;
    }
    const rest = changes.slice(position).filter(({ commit }) => commit <= started);
    if (isWhole) this.#judgeSkipped(what, rest, since);
    return position;
  }

  #judgeSkipped(what: string, skipped: readonly Change[], since: number): void {
    const lost = skipped.find(({ commit, seenAs }) => commit > since && seenAs !== null);
    if (lost && !this.#isMixed)
      this.caller.history.wrong(`${what} skips ${lost.seenAs} ${lost.id} version ${lost.version}`);
  }

  #judgeEntry(
    what: string,
    entry: Json,
    { fields }: SeenThrough,
    from: number,
    until: number,
  ): void {
    const { history } = this.caller;
    if (entry.type === "left") {
      const more = Object.keys(entry).filter((key) => !leftMembers.has(key));
      if (more.length > 0) history.wrong(`${what} shows ${more.join()} of what left the view`);
      return;
    }
    const hidden = (entry.fields as string[]).filter(
      (key) => !fields.includes(key) && key !== "$status",
    );
    if (hidden.length > 0) history.wrong(`${what} names the hidden fields ${hidden.join()}`);
    if (entry.item) judgeShown(history, what, entry.item, from, until);
    else judgeHidden(history, what, entry.id, from, until);
  }

  restore(): void {
    for (const reader of this.#readers.values()) reader.isExpired = true;
  }
}
