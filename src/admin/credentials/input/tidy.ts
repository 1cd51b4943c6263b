import * as z from "zod/mini";
import { presetNamed } from "../issue/presets";

/**
 * A form sends empty what was not chosen; its day stands apart from the choices, as do the permissions of a purpose and
 * whether everything is meant. `purpose` and `scope` mark what came from a form: there nothing stays as it was unsaid.
 */
export const tidy = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.transform((sent) => (typeof sent === "object" && sent !== null ? tidied({ ...sent }) : sent)),
    schema,
  );

function tidied(sent: Record<string, unknown>): Record<string, unknown> {
  const { expires_on: day, scope, purpose, ...rest } = sent;
  if (rest["expires"] === "day" || rest["expires"] === undefined) rest["expires"] = day;
  if (rest["expires"] === "keep") delete rest["expires"];
  if (rest["origins"] === "") rest["origins"] = [];
  if (purpose !== undefined) Object.assign(rest, permissionsFor(purpose, rest["permissions"]));
  if (scope !== undefined) rest["resources"] = resourcesFor(scope, rest["resources"]);
  return Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== "" && value !== undefined),
  );
}

function permissionsFor(purpose: unknown, chosen: unknown) {
  if (purpose === "custom") return { permissions: chosen ?? [] };
  const preset = presetNamed(purpose);
  return preset ? { permissions: [...preset.permissions] } : { purpose };
}

/** Everything and single ones are never both meant: whoever sends both is asked which. */
function resourcesFor(scope: unknown, chosen: unknown): unknown {
  if (scope !== "all") return chosen ?? [];
  return chosen === undefined ? "all" : ["all", ...[chosen].flat()];
}
