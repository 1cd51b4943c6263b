import type { Definition } from "./definition.ts";
import type { Step } from "./plan.ts";
import type { Field } from "./service.ts";

/** One PUT. `stub` creates an app without fields, because apps that refer to each other cannot all come first. */
export interface OrderedStep {
  step: Step;
  isStub: boolean;
}

/** Returns the apps that the references of a definition point to. */
function referencedApps({ fields }: Definition): Set<string> {
  const apps = (field: Field): string[] => [
    ...(field.type === "reference" && typeof field["app"] === "string" ? [field["app"]] : []),
    ...(field.fields ?? []).flatMap(apps),
  ];
  return new Set(fields.flatMap(apps));
}

/** Returns the apps that the steps create. */
export const newApps = (steps: readonly Step[]): Map<string, Step> =>
  new Map(
    steps
      .filter(({ named, version }) => named.kind === "app" && version === undefined)
      .map((step) => [step.named.key, step]),
  );

/** Orders the steps so that every app exists before a definition refers to it. */
export function orderOf(steps: readonly Step[]): OrderedStep[] {
  const created = newApps(steps);
  const ordered: OrderedStep[] = [];
  const states = new Map<Step, "started" | "stub" | "done">();
  const visit = (step: Step): void => {
    if (states.has(step)) return;
    states.set(step, "started");
    for (const app of referencedApps(step.definition)) {
      const target = created.get(app);
      if (!target || target === step) continue;
      visit(target);
      if (states.get(target) !== "started") continue;
      states.set(target, "stub");
      ordered.push({ step: target, isStub: true });
    }
    states.set(step, "done");
    ordered.push({ step, isStub: false });
  };
  for (const step of steps) visit(step);
  return ordered;
}
