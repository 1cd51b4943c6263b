import type { PropsWithChildren } from "hono/jsx";
import type { Collection } from "../../../../domain/definition/collection";
import type { Problem } from "../../../../domain/problem/problem";
import { showCount } from "../../../../html/show-count";
import { dataAssets } from "../../../definitions/assets";
import { words } from "../../../definitions/words";
import type { Frame } from "../../../frame/frame";
import { AdminPage } from "../../../frame/layout";
import type { Import } from "../file";

export interface ImportShown {
  frame: Frame;
  collection: Collection;
  problem?: Problem;
}

const labels = { file: "File", csv: "Text", columns: "Columns" };

/** A page of an import, whatever step it shows. */
export function ImportPage({
  title,
  file,
  children,
  ...shown
}: PropsWithChildren<ImportShown & { title: string; file?: Import }>) {
  const { kind, key, definition } = shown.collection;
  const { path, many } = words[kind];
  const columns = file?.csv.header.map((name, i) => [`column.${i}`, name]) ?? [];
  return (
    <AdminPage
      {...dataAssets}
      frame={shown.frame}
      title={title}
      crumbs={[
        [many, path],
        [definition.name, `${path}/${key}/items`],
      ]}
      problem={shown.problem}
      labels={{ ...labels, ...(Object.fromEntries(columns) as Record<string, string>) }}
    >
      {children}
    </AdminPage>
  );
}

export const itemsAddress = ({ kind, key }: Collection) => `${words[kind].path}/${key}/items`;

export const rowsInWords = (count: number) => `${showCount(count)} ${count === 1 ? "row" : "rows"}`;

/** The file, for the next step. */
export function Carried({ file }: { file: Import }) {
  return <input type="hidden" name="csv" value={file.text} />;
}

/** What was chosen for it. */
export function Chosen({ file }: { file: Import }) {
  return (
    <>
      {file.plan.columns.map((target, i) => (
        <input type="hidden" name={`column.${i}`} value={target} />
      ))}
      <input type="hidden" name="by" value={file.plan.by} />
    </>
  );
}
