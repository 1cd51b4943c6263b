import { may } from "../../../domain/credential/roles";
import type { Problem } from "../../../domain/problem/problem";
import { TextArea } from "../../../html/form/text-area";
import type { CollectionNow } from "../../../store/definitions/collection-now";
import type { Frame } from "../../frame/frame";
import { CollectionHead } from "../head";
import { words } from "../words";

interface Json {
  frame: Frame;
  now: CollectionNow;
  text: string;
  problem?: Problem | undefined;
}

const labels = { document: "Definition" };

/** The definition as code. */
export function JsonPage({ frame, now, text, problem }: Json) {
  const { collection, live } = now;
  const { kind, key, version } = collection;
  const base = `${words[kind].path}/${key}`;
  const define = may(frame.member.role, "define");
  return (
    <CollectionHead {...{ frame, collection, live, problem }} labels={labels} tab="api">
      <h2>Definition as code</h2>
      <p class="lead">
        The same document that{" "}
        <code>
          PUT /api/v1/{kind}s/{key}/schema
        </code>{" "}
        takes. To rename a field, say <code>"renamed_from"</code> with its key of now; a field that
        is left out is hidden with its data.
      </p>
      <form method="post" action={`${base}/json`}>
        <input type="hidden" name="version" value={String(version)} />
        <TextArea
          name="document"
          label="Definition"
          class="code"
          spellcheck={false}
          readonly={!define}
          value={text}
          wide
        />
        <p class="actions">
          {define ? <button type="submit">Save changes</button> : null}
          <a class="button quiet" href={`${base}/api`}>
            Back
          </a>
        </p>
      </form>
    </CollectionHead>
  );
}
