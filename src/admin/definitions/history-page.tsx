import { loadDefinitionHistory } from "#actions/definition-versions.ts";
import { ActorName, ActorNamesContext } from "#admin/items/actor-name.tsx";
import type { PageContext } from "#admin/layout.tsx";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { page } from "#admin/page.ts";
import { compareDefinitions, type PropertyDiff } from "#domain/definition/compare.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { formatTimestamp } from "#domain/time.ts";
import { SelectOptions } from "#html/inputs.tsx";
import { Badge, Table } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import type { DefinitionHistory, DefinitionVersion } from "#store/data/definition-history.ts";
import { CollectionLayout, collectionPath } from "./layout.tsx";

interface ListedVersion extends DefinitionVersion {
  /** The differences from the previous version. Null if one of the two versions is missing. */
  diffs: PropertyDiff[] | null;
}

function withDiffs({ versions }: DefinitionHistory): ListedVersion[] {
  return versions.map((version, index) => {
    const before = versions[index + 1]?.definition;
    const after = version.definition;
    return { ...version, diffs: before && after ? compareDefinitions(before, after) : null };
  });
}

const maxNamedParts = 5;

/** Returns the changed fields and settings, like “Amount, Due date, name”. */
function summarizeDiffs(
  diffs: readonly PropertyDiff[],
  { definitionVersions: text, terms }: Catalogue,
): string {
  const parts = [...new Set(diffs.map(({ path, property }) => path || text.property(property)))];
  const names = terms.list(parts.slice(0, maxNamedParts));
  const more = parts.length - maxNamedParts;
  return more > 0 ? text.andMore(names, more) : names;
}

/** Lists the versions of a definition, each with its author, time and differences. Two versions can be compared. */
export const historyPage = (kind: CollectionKind) =>
  page({
    async load({ c, ctx, param }) {
      const [from = "", to = ""] = ["from", "to"].map((name) => c.req.query(name) ?? "");
      // The form that compares two versions must work without scripts, so this redirects.
      if (/^\d{1,15}$/.test(from) && /^\d{1,15}$/.test(to))
        return c.redirect(`${c.req.path}/${to}?from=${from}`, 303);
      return loadDefinitionHistory(ctx, kind, param("key"));
    },
    document: (history) => ({
      items: withDiffs(history).map(({ version, change, diffs }) => ({
        version,
        at: change ? formatTimestamp(change.at) : null,
        by: change?.actor ?? null,
        changes: diffs,
      })),
    }),
    render(frame, history) {
      const { collection, itemCount: live } = history.current;
      const names = history.versions.flatMap(({ change }): [string, string][] =>
        change && change.actorName !== null ? [[change.actor, change.actorName]] : [],
      );
      const text = frame.text.definitionVersions;
      const { version, when, who, changes, compare } = text.columns;
      const base = `${collectionPath[kind]}/${collection.key}/changes`;
      return (
        <CollectionLayout {...{ frame, collection, live }} tab="fields">
          <h2>{text.title}</h2>
          <ActorNamesContext.Provider value={new Map(names)}>
            <Table
              caption={text.title}
              columns={[version, when, who, changes, { name: <Unseen>{compare}</Unseen> }]}
            >
              {withDiffs(history).map((listed, index) => (
                <VersionRow
                  {...{ listed, frame, base }}
                  isCurrent={index === 0}
                  isOldest={index === history.versions.length - 1}
                />
              ))}
            </Table>
          </ActorNamesContext.Provider>
          <p class="muted small">{text.kept}</p>
          {history.versions.length > 2 ? (
            <CompareForm base={base} versions={history.versions} />
          ) : null}
        </CollectionLayout>
      );
    },
  });

const Unseen = ({ children }: { children: string }) => <span class="unseen">{children}</span>;

function VersionRow({
  listed: { version, change, diffs },
  isCurrent,
  isOldest,
  frame,
  base,
}: {
  listed: ListedVersion;
  isCurrent: boolean;
  isOldest: boolean;
  frame: PageContext;
  base: string;
}) {
  const text = frame.text.definitionVersions;
  return (
    <tr>
      <th scope="row">
        {version} {isCurrent ? <Badge tone="good">{text.current}</Badge> : null}
      </th>
      <td>{change ? <Time at={change.at} /> : "–"}</td>
      <td>{change ? <ActorName actor={change.actor} frame={frame} /> : "–"}</td>
      <td class="full">
        {diffs
          ? summarizeDiffs(diffs, frame.text) || text.noFieldsOrSettings
          : isOldest
            ? "–"
            : text.seeComparison}
      </td>
      <td class="end">
        {isOldest ? null : (
          <a href={`${base}/${version}`} aria-label={text.changesIn(version)}>
            {text.columns.changes}
          </a>
        )}
      </td>
    </tr>
  );
}

/** Offers the choice of two versions to compare. */
function CompareForm({ base, versions }: { base: string; versions: readonly DefinitionVersion[] }) {
  const text = useText().definitionVersions;
  const options = versions.map(({ version }) => ({
    value: String(version),
    label: text.version(version),
  }));
  return (
    <form method="get" action={base} class="bar" aria-label={text.compare.title}>
      <label>
        {text.compare.from}
        <select name="from">
          <SelectOptions options={options} value={options[1]?.value} />
        </select>
      </label>
      <label>
        {text.compare.to}
        <select name="to">
          <SelectOptions options={options} value={options[0]?.value} />
        </select>
      </label>
      <button type="submit" class="quiet">
        {text.compare.submit}
      </button>
    </form>
  );
}
