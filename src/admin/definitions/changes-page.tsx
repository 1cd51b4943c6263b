import { loadDefinitionVersions } from "#actions/definition-versions.ts";
import { loadOperandNames } from "#actions/operand-names.ts";
import { describeItems, type ViewWords } from "#admin/describe-view.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { page } from "#admin/page.ts";
import { compareDefinitions } from "#domain/definition/compare.ts";
import type { CollectionKind, Definition } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { problem } from "#domain/problem/problem.ts";
import { EmptyState, Table } from "#html/parts.tsx";
import { CollectionLayout, collectionPath } from "./layout.tsx";

const parseVersion = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : 0);

/** Compares a version of a definition with the one before it, or with the version `from`. */
export const changesPage = (kind: CollectionKind) =>
  page({
    async load({ c, ctx, param }) {
      const numbers = [param("version"), c.req.query("from") ?? ""].map(parseVersion);
      const [from = 0, version = 0] = numbers.every((number) => number > 0)
        ? numbers.toSorted((a, b) => a - b)
        : numbers.toReversed();
      const versions = await loadDefinitionVersions(ctx, kind, param("key"), { version, from });
      const { collection } = versions.current;
      const [newest, previous] = versions.former;
      const isCurrent = collection.version === version;
      if (version < 1 || version > collection.version) throw problem.notFound();
      const after = isCurrent ? collection.definition : kept(newest, version);
      const before = from > 0 ? versions.base : isCurrent ? newest : previous;
      const diffs = before && after ? compareDefinitions(before.definition, after) : null;
      const fields = [before?.definition, after].flatMap((each) => each?.fields.fields ?? []);
      const conditions = diffs?.filter(({ property }) => property === "conditions");
      const names = await loadOperandNames(ctx, collection, fields, conditions);
      return { ...versions, version, before, after, diffs, names };
    },
    document: ({ version, before, diffs: changes }) => ({
      version,
      previous_version: before?.version ?? null,
      changes,
    }),
    render(frame, { current, version, before, after, diffs, names }) {
      const { collection, itemCount: live } = current;
      const text = frame.text.definitionVersions;
      const { columns, title } = text.diffs;
      const format = (property: string, value: unknown, definition: Definition | undefined) =>
        formatProperty(
          property,
          value,
          { kind, fields: definition?.fields.fields ?? [], names },
          frame.text,
        );
      return (
        <CollectionLayout {...{ frame, collection, live }} tab="fields">
          <h2>{before ? text.between(before.version, version) : text.version(version)}</h2>
          <p>
            <a href={`${collectionPath[kind]}/${collection.key}/changes`}>{text.all}</a>
          </p>
          {diffs === null || diffs.length === 0 ? (
            <EmptyState>{diffs === null ? text.notStored : text.noChanges}</EmptyState>
          ) : (
            <Table
              caption={title}
              columns={[columns.field, columns.property, columns.before, columns.after]}
            >
              {diffs.map(({ path, property, ...values }) => (
                <tr>
                  <th scope="row">{path === "" ? text.settings : path}</th>
                  <td data-label={columns.property}>{text.property(property)}</td>
                  <td class="full" data-label={columns.before}>
                    {format(property, values.before, before?.definition)}
                  </td>
                  <td class="full" data-label={columns.after}>
                    {format(property, values.after, after)}
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </CollectionLayout>
      );
    },
  });

function kept(
  former: { version: number; definition: Definition } | undefined,
  version: number,
): Definition | undefined {
  return former?.version === version ? former.definition : undefined;
}

function formatProperty(
  property: string,
  value: unknown,
  words: ViewWords,
  text: Catalogue,
): string {
  if (property === "view")
    return value === null ? text.definitionVersions.absent : text.definitionVersions.present;
  if (value === null || value === undefined || value === "") return text.terms.empty;
  if (property === "conditions" && Array.isArray(value))
    return describeItems({ conditions: value }, text, { ...words, isComplete: true });
  if (property === "retain" && isObject(value))
    return text.definitionVersions.retain(Number(value["days"]), value["only"] === "all");
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return text.terms.list(entries.map((entry) => formatEntry(property, entry, words.fields, text)));
}

/** Returns the label of an option, and its value if that differs. */
function formatEntry(
  property: string,
  entry: unknown,
  fields: readonly Field[],
  { definitionVersions, terms }: Catalogue,
): string {
  const labelOf = (key: unknown) => fields.find((field) => field.key === key)?.label ?? String(key);
  if (isObject(entry)) {
    const { label, value, field, direction } = entry;
    if (typeof label === "string") return label === value ? label : `${label} | ${String(value)}`;
    if (typeof field === "string")
      return definitionVersions.sorted(labelOf(field), direction === "desc");
    return JSON.stringify(entry);
  }
  if (typeof entry === "boolean") return terms.booleans[`${entry}`];
  if (property === "type") return terms.fieldTypes[entry as Field["type"]] ?? String(entry);
  return property === "fields" || property === "title_field" ? labelOf(entry) : String(entry);
}
