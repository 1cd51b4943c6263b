import type { Child, PropsWithChildren } from "hono/jsx";
import type { Problem } from "../../domain/problem/problem";
import { Crumbs } from "../../html/parts/crumbs";
import { Page } from "../../html/page";
import { ReaderContext } from "../../html/reader";
import { Summary } from "../../html/form/summary";
import { WithWrong } from "../../html/form/wrong";
import type { Frame } from "./frame";
import { Side } from "./side";

interface Shown {
  title: string;
  /** Where this page hangs: names and addresses, from the outermost. */
  crumbs?: readonly (readonly [name: string, href: string])[];
  /** States, beside the title. */
  badges?: Child;
  /** What can be done, at the right of the title. */
  acts?: Child;
  /** What went wrong with what was sent; the inputs of the page find theirs by their names. */
  problem?: Problem | undefined;
  /** What people call the inputs of the page, by name: the summary of errors leads to them. */
  labels?: Record<string, string>;
  scripts?: readonly string[];
  styles?: readonly string[];
}

/** A page of the administration area, in its frame. */
export function AdminPage({
  frame,
  crumbs,
  problem,
  labels = {},
  children,
  ...page
}: PropsWithChildren<Shown & { frame: Frame }>) {
  return (
    <ReaderContext.Provider value={frame.reader}>
      <Page
        {...page}
        theme={frame.theme}
        side={<Side {...frame} />}
        crumbs={crumbs ? <Crumbs to={crumbs} /> : null}
      >
        {frame.said === undefined ? null : (
          <p role="status" class="said">
            {frame.said}
          </p>
        )}
        {problem ? <Summary problem={problem} labels={labels} /> : null}
        <WithWrong problem={problem}>{children}</WithWrong>
      </Page>
    </ReaderContext.Provider>
  );
}
