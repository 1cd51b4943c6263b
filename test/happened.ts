import type { Reporter, Vitest } from "vitest/node";

const lists = { happened: new Set<string>(), documented: new Set<string>() };

/** Keeps what test/support/happenings.ts tells; whether this line of a test's log was that. */
export function isHappening(log: string): boolean {
  const [, list, facts] = /^(happened|documented) (\[.*\])\s*$/s.exec(log) ?? [];
  if (facts === undefined) return false;
  for (const fact of JSON.parse(facts) as string[]) lists[list as keyof typeof lists].add(fact);
  return true;
}

/** After a run of all files: fails it when something is documented that never happened. */
export class DocumentedHappens implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly unknown[]): Promise<void> {
    const all = await this.#vitest?.globTestSpecifications();
    if (modules.length < (all?.length ?? Infinity)) return;
    const never = [...lists.documented].filter((fact) => !lists.happened.has(fact)).toSorted();
    if (never.length === 0 && lists.documented.size > 0) return;
    console.error(["FAILED: documented, and no test has seen it happen:", ...never].join("\n  "));
    process.exitCode = 1;
  }
}
