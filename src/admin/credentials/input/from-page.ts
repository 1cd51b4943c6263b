import * as z from "zod/mini";
import { presetNamed } from "../issue/presets";
import { wrongChoice } from "./resources";

/**
 * What the page sends: all that is not chosen there is told at once, and a credential without a name is called after
 * what it is for. Scripts, which send no mark of the page, name all themselves.
 */
export const fromPage = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.transform((sent, ctx) => {
      if (typeof sent !== "object" || sent === null || !("page" in sent)) return sent;
      const { page: _, ...rest } = sent as Record<string, unknown>;
      const preset = presetNamed(rest["purpose"]);
      const refuse = (field: string, message: string) =>
        ctx.issues.push({ code: "custom", message, input: "", path: [field] });
      if (!preset && rest["purpose"] !== "custom") refuse("purpose", "Choose what it is for.");
      const chosen = rest["scope"] === "all" ? "all" : (rest["resources"] ?? []);
      const message = wrongChoice(chosen);
      if (message !== undefined) refuse("resources", message);
      return rest["name"] === "" ? { ...rest, name: preset?.name ?? "Custom" } : rest;
    }),
    schema,
  );
