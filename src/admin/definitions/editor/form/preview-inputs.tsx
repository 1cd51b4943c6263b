import { WithWrong } from "../../../../html/form/wrong";
import { Inputs } from "../../../items/input/inputs";
import type { EditorShown } from "./editor-shown";

export function PreviewInputs({ preview, frame }: EditorShown) {
  if (!preview) return <p class="muted">It shows once nothing is wrong.</p>;
  const { fields } = preview.definition.fields;
  if (fields.length === 0) return <p class="muted">There is nothing to fill in yet.</p>;
  return (
    <WithWrong problem={undefined}>
      <fieldset disabled class="preview">
        <legend class="unseen">What people fill in</legend>
        <Inputs fields={fields} data={{}} zone={frame.reader.zone} />
      </fieldset>
    </WithWrong>
  );
}
