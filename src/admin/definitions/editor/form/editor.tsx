import { noFields } from "../../../../domain/definition/field";
import { WithWrong } from "../../../../html/form/wrong";
import { words } from "../../words";
import { Outcome } from "../outcome/outcome";
import type { EditorShown } from "./editor-shown";
import { Naming } from "./naming";
import { Fields } from "./fields";
import { PreviewInputs } from "./preview-inputs";

/** All fields of a definition, edited on one page, with what saving does and a preview. */
export function Editor(shown: EditorShown) {
  const { kind, draft, stored, preview, wrong, action } = shown;
  const known = (stored ?? noFields).fields.map(({ key }) => key).join(" ");
  const hides = preview?.differences.some(({ what }) => what === "hidden") ?? false;
  const isMarked = ((wrong?.members["errors"] ?? []) as unknown[]).length > 0;
  return (
    <WithWrong problem={wrong}>
      <form method="post" action={`${action}?draft`} class="editor" data-editor="">
        {/* Enter in an input presses the first button. */}
        <button type="submit" name="do" value="check" class="unseen" tabindex={-1} formnovalidate>
          Look at what will happen
        </button>
        <input type="hidden" name="version" value={String(draft.version)} />
        <input type="hidden" name="known" value={known} />
        <div class="beside">
          <div>
            {stored === null ? <Naming kind={kind} draft={draft} /> : null}
            <Fields {...shown} />
          </div>
          <aside aria-label="Before saving">
            <Outcome preview={preview} items={words[kind].items} isMarked={isMarked} />
            <div id="sure" data-live="">
              {hides ? (
                <label class="choice">
                  <input type="checkbox" id="f-sure" name="sure" />
                  <span>Hide what is taken away</span>
                </label>
              ) : null}
            </div>
            <p class="actions">
              <button type="submit" name="do" value="save" formaction={action}>
                {stored === null ? `Make the ${words[kind].one}` : "Save changes"}
              </button>
              <button
                type="submit"
                name="do"
                value="check"
                class="quiet"
                formnovalidate
                data-check=""
              >
                Check first
              </button>
            </p>
            <section class="card" id="preview" data-live="">
              <h2>Preview</h2>
              <PreviewInputs {...shown} />
            </section>
          </aside>
        </div>
      </form>
    </WithWrong>
  );
}
