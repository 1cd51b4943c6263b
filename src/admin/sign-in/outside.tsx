import type { PropsWithChildren } from "hono/jsx";
import type { Problem } from "../../domain/problem/problem";
import { Page } from "../../html/page";
import { Mark } from "../../html/parts/mark";
import { Summary } from "../../html/form/summary";
import { WithWrong } from "../../html/form/wrong";
import { labels } from "./inputs";

/** A page of somebody who is not signed in. */
export function Outside({
  title,
  problem,
  children,
}: PropsWithChildren<{ title: string; problem?: Problem | undefined }>) {
  return (
    <Page title={title} crumbs={<Mark />}>
      {problem ? <Summary problem={problem} labels={labels} /> : null}
      <WithWrong problem={problem}>{children}</WithWrong>
    </Page>
  );
}
