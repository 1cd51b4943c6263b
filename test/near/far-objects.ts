import type { Grant } from "../../src/domain/credential/credential.ts";
import { beginWrite, seenOf, tell, writesOf, type OwnWrites } from "../../src/gate/state.ts";
import type { News } from "../../src/gate/call-log.ts";
import type { Admission } from "../../src/gate/limits.ts";

/** What credentials' objects do for reads, with news that arrives late: as of another isolate, it waits for its turn. */
export class FarObjects {
  readonly #grants: Map<string, Grant>;
  readonly #random: () => number;
  readonly #writes = new Map<string, OwnWrites>();
  readonly #late = new Map<string, News["told"]>();

  constructor(grants: Map<string, Grant>, random: () => number) {
    this.#grants = grants;
    this.#random = random;
  }

  get binding(): Bindings["GATE"] {
    const getByName = (id: string) => ({
      admit: async (_: unknown, write: boolean, news?: News) => this.#admit(id, write, news),
      note: async (news: News) => this.#hear(id, news.told),
    });
    return { getByName } as unknown as Bindings["GATE"];
  }

  #admit(id: string, write: boolean, news: News | undefined): Admission {
    this.#hear(id, news?.told ?? []);
    const grant = this.#grants.get(id);
    if (!grant) return { verdict: "refused" };
    const writes = this.#writesOf(id);
    const now = Date.now();
    const seen = seenOf(writes, now);
    const quota = { limit: 1, remaining: 1, reset: 1 };
    const ticket = write ? beginWrite(writes, now) : null;
    return { verdict: "admitted", grant, quotas: { default: quota }, seen, ticket };
  }

  #hear(id: string, told: News["told"]): void {
    const waiting = [...(this.#late.get(id) ?? []), ...told];
    const arrives = this.#random() < 0.6;
    this.#late.set(id, arrives ? [] : waiting);
    if (arrives) for (const each of waiting) tell(this.#writesOf(id), each);
  }

  #writesOf(id: string): OwnWrites {
    const known = this.#writes.get(id) ?? writesOf({ bookmark: null, untoldAt: null });
    this.#writes.set(id, known);
    return known;
  }
}
