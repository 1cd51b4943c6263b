import { textOf, type FormValues } from "#admin/form-input.ts";
import { Input, TextArea } from "#html/inputs.tsx";
import { importLimits } from "./file.ts";
import { collectionItemsPath, ImportPage, type ImportPageProps } from "./steps.tsx";

/** Asks for a file or its pasted text. */
export function StartPage({ form = {}, ...props }: ImportPageProps & { form?: FormValues }) {
  const { collection } = props;
  const catalogue = props.frame.text;
  const text = catalogue.itemImport;
  const { kind } = collection;
  const base = collectionItemsPath(collection);
  return (
    <ImportPage {...props} title={text.title(catalogue.terms.collections[kind].items)}>
      <form
        method="post"
        action={`${base}/import`}
        enctype="multipart/form-data"
        class="issue"
        data-warn=""
      >
        <Input
          name="file"
          label={text.labels.file}
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          hint={text.fileHint(importLimits.rows, importLimits.columns)}
        />
        <TextArea
          name="csv"
          label={text.paste}
          hint={text.pasteHint}
          rows={8}
          spellcheck={false}
          value={textOf(form["csv"])}
          wide
        />
        <p class="actions">
          <button type="submit">{text.review}</button>
          <a class="button quiet" href={base}>
            {text.cancel}
          </a>
        </p>
      </form>
      <p class="muted">{text.reviewable}</p>
      <details>
        <summary>{text.scope.title}</summary>
        <ul>
          {text.scope.points.map((point) => (
            <li>{point}</li>
          ))}
        </ul>
      </details>
    </ImportPage>
  );
}
