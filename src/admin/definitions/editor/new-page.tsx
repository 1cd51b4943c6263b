import type { Problem } from "../../../domain/problem/problem";
import { AdminPage } from "../../frame/layout";
import { dataAssets } from "../assets";
import { words } from "../words";
import { Editor } from "./form/editor";
import type { EditorShown } from "./form/editor-shown";
import { inputLabels } from "./labels";

/** An app or form that is being made. */
export function NewPage(shown: EditorShown & { problem: Problem | undefined }) {
  const { frame, kind, problem, draft } = shown;
  const { one, many, path } = words[kind];
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={`New ${one}`}
      crumbs={[[many, path]]}
      problem={problem}
      labels={inputLabels(draft)}
    >
      <Editor {...shown} />
    </AdminPage>
  );
}
