import type { ComputedField, RowField } from "../../definition/field";
import { dayWithOffset } from "../../zoned-day";
import { nearestDateTime, utcDateTime } from "../../time";
import { wrongType, wrongFormat, wrongDate, type Fault } from "./fault";
import { stringCheck, textCheck, type Check } from "./text";
import { numberCheck } from "./number";
import { isEmail, isUrl, phoneForm, isPhone } from "./formats";
import { selectCheck, multiSelectCheck } from "./choices";

/** The rules of one field, ready to be applied. `zone` is the time zone of the collection. */
export function scalarCheck(field: Exclude<RowField, ComputedField>, zone: string): Check {
  switch (field.type) {
    case "text":
    case "multiline_text":
      return textCheck(field);
    case "number":
      return numberCheck(field);
    case "boolean":
      return (value, fault) => (typeof value === "boolean" ? value : wrongType("boolean", fault));
    case "date":
      return stringCheck((text, fault) => dayWithOffset(text, zone) ?? wrongDate(text, fault));
    case "datetime":
      return stringCheck(dateTimeOf);
    case "email":
      return stringCheck((text, fault) =>
        isEmail(text) ? text : wrongFormat("an e-mail address", fault),
      );
    case "url":
      return stringCheck((text, fault) =>
        isUrl(text) ? text : wrongFormat("an absolute http or https URL", fault),
      );
    case "phone":
      return stringCheck((text, fault) => (isPhone(text) ? text : wrongFormat(phoneForm, fault)));
    case "select":
      return selectCheck(field.options);
    case "multi_select":
      return multiSelectCheck(field.options);
  }
}

function dateTimeOf(text: string, fault: Fault): string | undefined {
  const parsed = utcDateTime(text);
  if ("value" in parsed) return parsed.value;
  const near = nearestDateTime(text, "datetime") ?? "2026-11-21T09:30:00+09:00";
  return parsed.fault === "time_zone_required"
    ? fault(parsed.fault, `Must end with an offset, Z or one like +09:00: for example "${near}".`)
    : wrongFormat(`an RFC 3339 date-time with an offset, like "${near}"`, fault);
}
