import type { Actor } from "#domain/audit.ts";
import { isRecordId } from "#domain/data/references.ts";
import { isObject } from "#domain/json.ts";

/** The IDs of records, members and credentials in conditions. */
interface NamedOperands {
  records: string[];
  actors: Actor[];
}

const isActor = (text: string): text is Actor => /^(?:member|credential):/.test(text);

/** Finds the IDs in conditions. Each one occurs once, in the order of the conditions. */
export function findNamedOperands(conditions: unknown): NamedOperands {
  const texts = [...new Set(listTexts(conditions))];
  return { records: texts.filter(isRecordId), actors: texts.filter(isActor) };
}

function listTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isObject(value) ? Object.values(value).flatMap(listTexts) : [];
}
