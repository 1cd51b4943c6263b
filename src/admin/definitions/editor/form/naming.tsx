import type { CollectionKind } from "../../../../domain/definition/collection";
import { Input } from "../../../../html/form/input";
import { words } from "../../words";
import type { Draft } from "../../draft/draft";

export function Naming({ kind, draft }: { kind: CollectionKind; draft: Draft }) {
  const { one } = words[kind];
  return (
    <div class="grid">
      <Input
        name="name"
        label="Name"
        value={draft.name}
        maxlength={200}
        autofocus={draft.fields.length === 0}
        autocomplete="off"
      />
      <Input
        name="key"
        label="Key"
        hint={`In addresses of the API; made from the name. It stays with the ${one}.`}
        value={draft.key}
        maxlength={63}
        spellcheck={false}
        autocomplete="off"
      />
    </div>
  );
}
