import type { Reporter, Vitest } from "vitest/node";

const lists = { happened: new Set<string>(), documented: new Set<string>() };

/** Collects the facts that test/support/happenings.ts logs. Returns whether this log line held such facts. */
export function isHappening(log: string): boolean {
  const [, list, facts] = /^(happened|documented) (\[.*\])\s*$/s.exec(log) ?? [];
  if (facts === undefined) return false;
  for (const fact of JSON.parse(facts) as string[]) lists[list as keyof typeof lists].add(fact);
  return true;
}

/** Fails a complete test run when a documented fact never occurred in it. */
export class DocumentedHappens implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly unknown[]): Promise<void> {
    const projects = this.#vitest?.projects.map(({ name }) => name) ?? [];
    if (!["worker", "isolated"].every((name) => projects.includes(name))) return;
    const specifications = await this.#vitest?.globTestSpecifications();
    if (modules.length < (specifications?.length ?? Infinity)) return;
    const unseen = [...lists.documented].filter((fact) => !lists.happened.has(fact)).toSorted();
    if (unseen.length === 0 && lists.documented.size > 0) return;
    console.error(["FAILED: documented, and no test has seen it happen:", ...unseen].join("\n  "));
    process.exitCode = 1;
  }
}
