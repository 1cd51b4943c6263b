import type { Grant } from "../../src/domain/credential/credential.ts";
import {
  beginWrite,
  readConstraintOf,
  applyWriteReport,
  restoreWrites,
  type PendingWrites,
} from "../../src/gate/state.ts";
import type { GateReport } from "../../src/gate/state.ts";
import type { Admission } from "../../src/gate/limits.ts";

/** Simulates the credential objects. Reports reach them late at random, as from another isolate. */
export class DelayedGate {
  readonly #grants: Map<string, Grant>;
  readonly #random: () => number;
  readonly #writes = new Map<string, PendingWrites>();
  readonly #delayed = new Map<string, GateReport["told"]>();

  constructor(grants: Map<string, Grant>, random: () => number) {
    this.#grants = grants;
    this.#random = random;
  }

  get binding(): Bindings["GATE"] {
    const getByName = (id: string) => ({
      admit: async (_: unknown, isWrite: boolean, report?: GateReport) =>
        this.#admit(id, isWrite, report),
      note: async (report: GateReport) => this.#receive(id, report.told),
    });
    return { getByName } as unknown as Bindings["GATE"];
  }

  #admit(id: string, isWrite: boolean, report: GateReport | undefined): Admission {
    this.#receive(id, report?.told ?? []);
    const grant = this.#grants.get(id);
    if (!grant) return { verdict: "refused" };
    const writes = this.#writesOf(id);
    const now = Date.now();
    const seen = readConstraintOf(writes, now);
    const quota = { limit: 1, remaining: 1, reset: 1 };
    const ticket = isWrite ? beginWrite(writes, now, { number: this.#random }) : null;
    return { verdict: "admitted", grant, quotas: { default: quota }, seen, ticket };
  }

  #receive(id: string, reports: GateReport["told"]): void {
    const pending = [...(this.#delayed.get(id) ?? []), ...reports];
    const arrives = this.#random() < 0.6;
    this.#delayed.set(id, arrives ? [] : pending);
    if (arrives) for (const report of pending) applyWriteReport(this.#writesOf(id), report);
  }

  #writesOf(id: string): PendingWrites {
    const writes = this.#writes.get(id) ?? restoreWrites({ bookmark: null, untoldAt: null });
    this.#writes.set(id, writes);
    return writes;
  }
}
