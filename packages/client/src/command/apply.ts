import { createInterface } from "node:readline/promises";
import { setTimeout as wait } from "node:timers/promises";
import { EdgeFormsError } from "../index.ts";
import { Failure, say, sentenceOf } from "./failure.ts";
import type { Chosen } from "./folder.ts";
import { orderOf } from "./order.ts";
import { assertValid, planOf, showPlan, stepOf, type Step } from "./plan.ts";
import { Progress } from "./progress.ts";
import {
  definitionOf,
  nameOf,
  schemaPath,
  type Named,
  type SchemaDocument,
  type Service,
} from "./service.ts";

/** Shows the differences and applies them. A definition that changed in the meantime is not overwritten. */
export async function apply(
  service: Service,
  folder: string,
  { yes, ...chosen }: Chosen & { yes: boolean },
): Promise<void> {
  const plan = await planOf(service, folder, chosen);
  showPlan(plan);
  assertValid(plan);
  if (plan.steps.length === 0) return;
  if (!yes) await confirm();
  const newSteps = new Set(plan.steps.filter(({ version }) => version === undefined));
  for (const { step, isStub } of orderOf(plan.steps)) {
    if (isStub) step.version = await createStub(service, step);
    else await applyStep(service, folder, step, newSteps.has(step));
  }
}

async function confirm(): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new Failure("Nothing was applied. Without a terminal, confirm with --yes.");
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const reply = await terminal.question("Apply these changes? Enter yes to confirm:  ");
  terminal.close();
  if (reply.trim() !== "yes") throw new Failure("Nothing was applied.");
}

/** Creates an app without fields, so that others can refer to it. Returns its version. */
async function createStub({ client }: Service, { named, definition }: Step): Promise<number> {
  const { title_field: _, ...settings } = definition;
  const request = { body: { ...settings, fields: [] }, headers: { "If-None-Match": "*" } };
  try {
    const stub = await client.request<SchemaDocument>("PUT", schemaPath(named), request);
    return stub.schema_version;
  } catch (error) {
    throw new Failure(`${nameOf(named)}: ${sentenceOf(error)}`);
  }
}

async function applyStep(
  service: Service,
  folder: string,
  step: Step,
  isNew: boolean,
): Promise<void> {
  const { named, definition, version } = step;
  const precondition: Record<string, string> =
    version === undefined ? { "If-None-Match": "*" } : { "If-Match": `"${version}"` };
  let saved: SchemaDocument;
  try {
    const request = { body: definition, headers: precondition };
    saved = await service.client.request<SchemaDocument>("PUT", schemaPath(named), request);
  } catch (error) {
    if (!(error instanceof EdgeFormsError) || error.status !== 412) {
      throw new Failure(`${nameOf(named)}: ${sentenceOf(error)}`);
    }
    // An earlier attempt whose response was lost may have applied the change. Then no difference remains.
    const remaining = await stepOf(service, folder, named);
    if (remaining.differences.length === 0) return say(`${nameOf(named)}: already up to date.`);
    const changed = "changed after the differences were shown. Run the command again.";
    throw new Failure(`${nameOf(named)} ${changed}`);
  }
  if (saved.pending) saved = await waitUntilApplied(service, named, saved);
  const action = isNew ? "created" : "changed";
  say(`${nameOf(named)}: ${action}, version ${saved.schema_version}.`);
}

/** Waits while the service checks stored items. Afterwards it applies the change or rejects it. */
async function waitUntilApplied(
  service: Service,
  named: Named,
  saved: SchemaDocument,
): Promise<SchemaDocument> {
  const progress = new Progress(`${nameOf(named)}: checking items`);
  for (
    let current: SchemaDocument | undefined = saved;
    current;
    current = await definitionOf(service, named)
  ) {
    const { pending } = current;
    if (!pending) {
      progress.end();
      return current;
    }
    if (pending.problem) {
      progress.end();
      throw new Failure(
        `${nameOf(named)}: rejected because of stored items. ${pending.problem.detail}`,
      );
    }
    progress.at(pending.done, pending.total);
    await wait(1000);
  }
  throw new Failure(`${nameOf(named)} no longer exists.`);
}
