import type { PropsWithChildren } from "hono/jsx";
import type { Collection } from "#domain/definition/collection.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { Table } from "#html/parts.tsx";
import { collectionPath, dataAssets } from "#admin/definitions/layout.tsx";
import { useText } from "#admin/language/index.tsx";
import { AdminPage, type PageContext } from "#admin/layout.tsx";
import type { BulkAct } from "./change.ts";
import type { BulkReport } from "./report.ts";
import type { Selection } from "./selection.ts";

export interface BulkPageProps {
  frame: PageContext;
  collection: Collection;
  selection: Selection;
  listPath: string;
  problem?: Problem | undefined;
  /** The results before the problem stopped the action. */
  stopped?: { act: BulkAct; report: BulkReport } | undefined;
}

/** The layout of every part of a bulk action. */
export function BulkPage({
  title,
  frame,
  collection,
  listPath,
  problem,
  stopped,
  children,
}: PropsWithChildren<BulkPageProps & { title: string }>) {
  const { kind, definition } = collection;
  const { bulk, terms } = frame.text;
  return (
    <AdminPage
      {...dataAssets}
      {...{ frame, title, problem }}
      problemTitle={stopped && bulk.stopped(stopped.act, stopped.report)}
      labels={bulk.labels}
      crumbs={[
        [terms.collections[kind].many, collectionPath[kind]],
        [definition.name, listPath],
      ]}
    >
      {stopped ? <Refusals {...stopped} listPath={listPath} /> : null}
      {children}
    </AdminPage>
  );
}

/** Hidden inputs that send the selection to the next step. */
export function HiddenSelection({ selection, act }: { selection: Selection; act: BulkAct }) {
  return (
    <>
      <input type="hidden" name="act" value={act} />
      <input type="hidden" name="search" value={selection.search} />
      {selection.ids === null ? <input type="hidden" name="all" value="yes" /> : null}
      {selection.ids?.map((id) => (
        <input type="hidden" name="ids" value={id} />
      ))}
    </>
  );
}

/** Lists the omitted items with the reasons. */
export function Refusals({
  act,
  report: { refused, refusals },
  listPath,
}: {
  act: BulkAct;
  report: BulkReport;
  listPath: string;
}) {
  const text = useText().bulk.results;
  const base = basePathOf(listPath);
  return (
    <>
      {refusals.length > 0 ? (
        <Table caption={text.refused(act)} columns={[text.refused(act), text.reason]}>
          {refusals.map(({ id, title, reason }) => (
            <tr>
              <th scope="row">
                <a href={`${base}/${id}`}>{title}</a>
              </th>
              <td>{reason}</td>
            </tr>
          ))}
        </Table>
      ) : null}
      {refused > refusals.length ? (
        <p class="muted">{text.listed(refusals.length, refused)}</p>
      ) : null}
    </>
  );
}

/** Returns the path of the whole list. */
export const basePathOf = (listPath: string): string => listPath.split("?")[0] ?? "";

/** Returns the path that the forms of a bulk action post to. */
export const actionOf = (listPath: string) => `${basePathOf(listPath)}/selected`;

/** Shows the results of an action that cannot continue, because its selection no longer exists. */
export function StoppedPage({ act, ...props }: BulkPageProps & { act: BulkAct }) {
  const { frame, collection, listPath } = props;
  const { bulk, terms } = frame.text;
  const { items, item } = terms.collections[collection.kind];
  return (
    <BulkPage {...props} title={bulk.progress.title(act, items)}>
      <p class="actions" data-done="">
        <a class="button" href={basePathOf(listPath)}>
          {bulk.results.back(item)}
        </a>
      </p>
    </BulkPage>
  );
}
