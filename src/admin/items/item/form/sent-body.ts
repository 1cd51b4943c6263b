import type { Compiled } from "../../../../domain/data/compile";
import type { Field } from "../../../../domain/definition/field";
import { isObject } from "../../../../domain/json";
import { textOf, type Sent } from "../../../frame/sent";
import { sentData } from "../../input/item-input";
import { zoneSent } from "../../input/written";

export const fieldsOf = ({ collection }: Compiled) => collection.definition.fields.fields;
export const sentZone = (sent: Sent, { collection }: Compiled) =>
  zoneSent(sent["$zone"], collection.definition.time_zone);

/** The body that the API takes, from a program that has it ready, or from all that a form sent. */
export function sentBody(sent: Sent, compiled: Compiled): Record<string, unknown> {
  const { version: _, $version: __, ...body } = sent;
  if (isObject(sent["data"])) return body;
  const fields = fieldsOf(compiled);
  const status = sentStatus(sent, fields);
  const data = sentData(fields, sent, sentZone(sent, compiled));
  const given = Object.entries(data).filter(
    ([key, value]) => sent["$seen"] !== undefined || Object.hasOwn(sent, key) || isFilled(value),
  );
  return { ...status, data: Object.fromEntries(given) };
}

const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0;

/** The status that was asked for; programs call it `status`, where no field is called so. */
export function sentStatus(sent: Sent, fields: readonly Field[]): { status?: string } {
  const plain = fields.some(({ key }) => key === "status") ? undefined : sent["status"];
  const status = textOf(sent["$status"] ?? plain);
  return status === "" ? {} : { status };
}
