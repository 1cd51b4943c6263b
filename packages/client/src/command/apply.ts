import { createInterface } from "node:readline/promises";
import { setTimeout as wait } from "node:timers/promises";
import { EdgeFormsError } from "../index.ts";
import { Failure, say, sentenceOf } from "./failure.ts";
import type { Chosen } from "./folder.ts";
import { planOf, showPlan, stepOf, type Step } from "./plan.ts";
import { Progress } from "./progress.ts";
import {
  definitionOf,
  nameOf,
  schemaPath,
  type Named,
  type SchemaDocument,
  type Service,
} from "./service.ts";

/** Shows the differences, and applies them where nobody changed anything since. */
export async function apply(
  service: Service,
  folder: string,
  { yes, ...chosen }: Chosen & { yes: boolean },
): Promise<void> {
  const plan = await planOf(service, folder, chosen);
  showPlan(plan);
  if (plan.steps.length === 0) return;
  if (!yes) await confirm();
  for (const step of plan.steps) await carryOut(service, folder, step);
}

async function confirm(): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new Failure("Nothing was applied: without a terminal to ask at, say --yes.");
  }
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question("Apply this? Only yes is taken for it: ");
  asking.close();
  if (answer.trim() !== "yes") throw new Failure("Nothing was applied.");
}

async function carryOut(service: Service, folder: string, step: Step): Promise<void> {
  const { named, definition, version } = step;
  const precondition: Record<string, string> =
    version === undefined ? { "If-None-Match": "*" } : { "If-Match": `"${version}"` };
  let saved: SchemaDocument;
  try {
    const sent = { body: definition, headers: precondition };
    saved = await service.client.request<SchemaDocument>("PUT", schemaPath(named), sent);
  } catch (error) {
    if (!(error instanceof EdgeFormsError) || error.status !== 412) {
      throw new Failure(`${nameOf(named)}: ${sentenceOf(error)}`);
    }
    // An earlier try whose answer was lost may have done it: then nothing is left to do.
    const left = await stepOf(service, folder, named);
    if (left.differences.length === 0) return say(`${nameOf(named)}: is so.`);
    const changed = "was changed since the differences were shown. Run this again.";
    throw new Failure(`${nameOf(named)} ${changed}`);
  }
  if (saved.pending) saved = await untilHeld(service, named, saved);
  const done = version === undefined ? "created" : "changed";
  say(`${nameOf(named)}: ${done}, version ${saved.schema_version}.`);
}

/** A change that has to look at many items holds once all were seen, or is dropped. */
async function untilHeld(
  service: Service,
  named: Named,
  saved: SchemaDocument,
): Promise<SchemaDocument> {
  const progress = new Progress(`${nameOf(named)}: looking at items`);
  for (let now: SchemaDocument | undefined = saved; now; now = await definitionOf(service, named)) {
    const { pending } = now;
    if (!pending) {
      progress.end();
      return now;
    }
    if (pending.problem) {
      progress.end();
      throw new Failure(`${nameOf(named)}: refused by what is stored. ${pending.problem.detail}`);
    }
    progress.at(pending.done, pending.total);
    await wait(1000);
  }
  throw new Failure(`${nameOf(named)} has gone.`);
}
