import type { Random } from "../../soak/random.ts";
import type { Step } from "../plan.ts";
import type { Json } from "../world.ts";
import { credentialOfStep, pickCollection, Subject } from "./caller.ts";

/** Clients that change definitions. */
export class Definitions extends Subject {
  readonly steps = {
    define: (step: Step, random: Random) => this.#define(step, random),
  };

  /** Changes a definition: its description, and whether it has another field. */
  async #define(step: Step, random: Random): Promise<void> {
    const { kind, key } = pickCollection(random);
    const path = `${kind}s/${key}/schema`;
    const { answer } = await this.caller.send(step, "GET", path, undefined, {
      "Cache-Control": "no-cache",
    });
    if (answer === "lost" || answer.status !== 200) return;
    const { fields, description: _, ...rest } = answer.body;
    const isSearchable = random.chance(0.5);
    const changed = fields
      .filter((field: Json) => field.key !== "extra")
      .map((field: Json) => (field.key === "n" ? { ...field, searchable: isSearchable } : field));
    const extra = random.chance(0.5) ? [{ key: "extra", label: "Extra", type: "text" }] : [];
    const { name, time_zone, receipt_prefix, acceptance } = rest;
    const { accepting: __, ...settings } = acceptance ?? {};
    const body = {
      name,
      time_zone,
      ...(receipt_prefix === undefined ? { acceptance: settings } : { receipt_prefix }),
      description: `d${step.number}`,
      fields: [...changed, ...extra],
    };
    const etag = answer.headers.get("ETag") ?? "";
    const condition: Record<string, string> = random.chance(0.5) ? { "If-Match": etag } : {};
    const put = await this.caller.send(step, "PUT", path, body, condition);
    this.caller.isRead(put.answer, credentialOfStep(step), [200, 202, 409, 412], `PUT ${path}`);
  }
}
