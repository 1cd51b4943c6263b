import { defaultHistoryDays, type Collection } from "../../../domain/definition/collection";
import { fieldDocument } from "../../../domain/definition/field-document";
import { acceptanceDocument } from "../../definition";
import { moment, mostShown } from "./examples";

/** A definition as it can be sent, and as it and what leads to it are shown. */
export interface DefinitionExamples {
  sent: object;
  shown: object;
  summary: object;
  page: object;
  document: object;
}

export function definitionExamples(collection: Collection, origin: string): DefinitionExamples {
  const { kind, key, version, definition } = collection;
  const { name, description, time_zone, receipt_prefix, acceptance, history_days, fields } =
    definition;
  const base = `${origin}/api/v1/${kind}s`;
  const items = kind === "app" ? "records" : "submissions";
  const links = {
    self: `${base}/${key}/schema`,
    openapi: `${base}/${key}/openapi.json`,
    [items]: `${base}/${key}/${items}`,
    search: `${base}/${key}/${items}/search`,
  };
  const { accepting, ...open } = acceptanceDocument(acceptance, 0, moment);
  const about = { name, description, time_zone };
  const days = { history_days: history_days ?? defaultHistoryDays };
  const rest = { ...days, fields: fields.fields.map(fieldDocument) };
  const own = (shown: object) => (kind === "app" ? { receipt_prefix } : { acceptance: shown });
  const summary = { key, ...about, schema_version: version, links };
  const sent = { ...about, ...own(open), ...rest };
  const large = JSON.stringify(rest).length > mostShown;
  return {
    sent,
    shown: large
      ? { ...summary, fields: [] }
      : { key, ...about, schema_version: version, ...own({ ...open, accepting }), ...rest, links },
    summary,
    page: { items: [summary], links: { self: base, next: null } },
    document: { openapi: "3.1.0", info: { title: name, version: String(version) }, paths: {} },
  };
}
