import { noFields } from "../../../../domain/definition/field";
import { typeWords } from "../../draft/types";
import type { EditorShown } from "./editor-shown";

/** Fields that were taken away, now or before: each can be brought back. */
export function Hidden({ draft, stored }: Pick<EditorShown, "draft" | "stored">) {
  const used = new Set(draft.fields.flatMap(({ was, key }) => [was, key]));
  const { fields, retired } = stored ?? noFields;
  const hidden = [...fields, ...retired].filter(({ key }) => !used.has(key));
  if (hidden.length === 0) return null;
  return (
    <section aria-labelledby="hidden-fields">
      <h2 id="hidden-fields">Hidden fields</h2>
      <p class="muted">What is stored in them is kept.</p>
      <ul class="chips">
        {hidden.slice(0, mostHidden).map(({ key, label, type }) => (
          <li>
            {label} <small>{typeWords[type]}</small>
            <button
              type="submit"
              class="quiet little"
              name="do"
              value={`restore:${key}`}
              formnovalidate
              aria-label={`Bring back ${label}`}
            >
              Bring back
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const mostHidden = 100;
