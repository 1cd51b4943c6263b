import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Step } from "./plan.ts";
import type { Layout } from "./settings.ts";

/** The version of the Worker that runs next to the current one in simulated deployments. */
export const formerCommit = "fbf2d40";
/** The version that runs next to the current one in plans with moves. */
export const formerCommitWithMoves = "c6a312b0";

export const collectedFolder = new URL("collected", import.meta.url).pathname;

interface CollectedPlan {
  name: string;
  /** The difference that the plan found when it was new. */
  found: string;
  layout: Layout;
  seed: number;
  plan: Step[];
}

/** Loads the reduced plans that have found a bug in the service. They stay unchanged when plans change. */
export const collectedPlans = (): CollectedPlan[] =>
  globSync("*.json", { cwd: collectedFolder })
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(collectedFolder, file), "utf8");
      const {
        found,
        layout = "single",
        seed = 0,
        steps,
      } = JSON.parse(text) as { found: string; layout?: Layout; seed?: number; steps: Step[] };
      return { name: basename(file, ".json"), found, layout, seed, plan: steps };
    });
