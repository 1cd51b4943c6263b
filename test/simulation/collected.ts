import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Step } from "./plan.ts";

/** The version of the Worker that serves beside the present one in simulated deployments. */
export const formerCommit = "853d8af";

export const collectedFolder = new URL("collected", import.meta.url).pathname;

interface CollectedPlan {
  name: string;
  /** What it found when it was new. */
  found: string;
  plan: Step[];
}

/** The reduced plans that have found a difference in the service. They stay as they are when plans change. */
export const collectedPlans = (): CollectedPlan[] =>
  globSync("*.json", { cwd: collectedFolder })
    .toSorted()
    .map((file) => {
      const { found, steps } = JSON.parse(readFileSync(join(collectedFolder, file), "utf8")) as {
        found: string;
        steps: Step[];
      };
      return { name: basename(file, ".json"), found, plan: steps };
    });
