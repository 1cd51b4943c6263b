import { createContext, useContext } from "hono/jsx";
import type { Titles } from "#actions/reference-titles.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { collectionPath } from "#admin/definitions/layout.tsx";
import type { RecordTitle, Referrer } from "#store/data/reference-titles.ts";
import { maxCountedReferrers } from "#domain/item/referrers.ts";

/** The data of a page about the records that values refer to. */
export interface References {
  titles: Titles;
  /** Records that match the text of an input, by the name of the input. */
  choices: ReadonlyMap<string, readonly RecordTitle[]>;
}

export const noReferences: References = { titles: new Map(), choices: new Map() };

export const ReferencesContext = createContext<References>(noReferences);

/** Returns the text by which people recognize and choose a record: `Yamada (CUS-000001)`. */
export const recordLabel = (
  { title, receiptNumber }: RecordTitle,
  { terms }: Pick<Catalogue, "terms">,
): string =>
  title === null ? receiptNumber : terms.recordLabel(title.replaceAll(/\s+/g, " "), receiptNumber);

/** Shows a reference as the title of its record, or as its ID if the record no longer exists. */
export function ReferenceValue({ id, short }: { id: string; short: boolean | undefined }) {
  const text = useText();
  const record = useContext(ReferencesContext).titles.get(id);
  if (!record) return <span class="muted">{id}</span>;
  const label = short ? (record.title ?? record.receiptNumber) : recordLabel(record, text);
  const path = collectionPath.app;
  return (
    <a href={`${path}/${record.app}/items/${id}`}>
      <bdi>{label}</bdi>
    </a>
  );
}

/** Returns the text of an input for a reference. */
export function useReferenceText(text: string): string {
  const catalogue = useText();
  const record = useContext(ReferencesContext).titles.get(text);
  return record ? recordLabel(record, catalogue) : text;
}

/** The suggestions of an input for a reference. Scripts replace them while the member types. */
export function RecordChoices({ id, name }: { id: string; name: string }) {
  const text = useText();
  const choices = useContext(ReferencesContext).choices.get(name) ?? [];
  return (
    <>
      <datalist id={id}>
        {choices.map((record) => (
          <option value={recordLabel(record, text)} />
        ))}
      </datalist>
      {choices.length > 0 ? (
        <span class="hint">
          {text.itemForm.candidates(choices.map((record) => recordLabel(record, text)))}
        </span>
      ) : null}
    </>
  );
}

/** Returns the attributes with which an input for a reference finds its suggestions. */
export const choiceAttributes = (app: string, inputId: string) => ({
  list: `${inputId}-records`,
  "data-records": `${collectionPath.app}/${app}/items/choices`,
  autocomplete: "off",
});

/** Lists the fields that refer to a record, with links to their items. */
export function ReferrerList({ id, referrers }: { id: string; referrers: readonly Referrer[] }) {
  const text = useText().itemPage.referrers;
  const shownReferrers = referrers.filter(({ count }) => count !== 0);
  if (shownReferrers.length === 0) return null;
  return (
    <section class="referrers" aria-labelledby="referrers">
      <h2 id="referrers">{text.title}</h2>
      <ul>
        {shownReferrers.map((referrer) => (
          <li>
            <a href={referrerPath(referrer, id)}>
              {referrer.name}: {referrer.listLabel === null ? "" : `${referrer.listLabel} › `}
              {referrer.label}
            </a>{" "}
            <span class="muted">{countText(referrer.count, text)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function countText(count: number | null, text: Catalogue["itemPage"]["referrers"]): string {
  if (count === null) return text.notSearchable;
  return count > maxCountedReferrers ? text.moreThan(maxCountedReferrers) : String(count);
}

function referrerPath({ kind, key, field, list, count }: Referrer, id: string): string {
  const base = `${collectionPath[kind]}/${key}/items`;
  if (count === null) return base;
  if (list === null) return `${base}?${new URLSearchParams({ [`f.${field}.eq`]: id }).toString()}`;
  const rows = [{ field, op: "eq", value: id }];
  const conditions = JSON.stringify([{ field: list, op: "any", value: rows }]);
  return `${base}?${new URLSearchParams({ conditions }).toString()}`;
}
