import { may } from "../../../domain/credential/roles";
import type { Problem } from "../../../domain/problem/problem";
import type { CollectionNow } from "../../../store/definitions/collection-now";
import { showCount } from "../../../html/show-count";
import { textOf } from "../../frame/sent";
import { CollectionHead } from "../head";
import { Indexing } from "../indexing";
import { Editor } from "./form/editor";
import type { EditorShown } from "./form/editor-shown";
import { FieldsTable } from "./fields-table";
import { inputLabels } from "./labels";

/** The fields of an app or form. */
export function DefinitionPage(
  shown: EditorShown & { now: CollectionNow; problem: Problem | undefined },
) {
  const { frame, now, problem, draft } = shown;
  const { collection, live, indexing, pending } = now;
  return (
    <CollectionHead
      {...{ frame, collection, live, problem }}
      labels={inputLabels(draft)}
      tab="fields"
    >
      {indexing ? <Indexing {...indexing} /> : null}
      {pending?.problem === null ? (
        <p class="notice warn" role="status">
          A change is under way: {showCount(pending.done)} of {showCount(pending.total)} looked at.
          What stands here holds until then.
        </p>
      ) : null}
      {pending?.problem ? (
        <p class="notice bad">The last change was not made: {textOf(pending.problem["detail"])}</p>
      ) : null}
      {may(frame.member.role, "define") ? (
        <Editor {...shown} />
      ) : (
        <>
          <p class="muted">Owners, admins and editors can change these.</p>
          <FieldsTable fields={collection.definition.fields.fields} />
        </>
      )}
    </CollectionHead>
  );
}
