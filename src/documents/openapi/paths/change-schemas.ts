import { actor } from "../shared-schemas";
import type { Noun } from "../noun";
import { list, oneOfTexts, open, ref, stamp, text, version, type Schema } from "../schemas/schema";

export function changeSchemas({ one }: Noun): Schema {
  const keys = { ...list(text), description: "The keys that changed; `$status` for the status." };
  const entry = {
    id: text,
    type: oneOfTexts(["created", "updated", "deleted"]),
    version,
    etag: text,
    at: stamp,
    by: actor,
    fields: keys,
  };
  return {
    [`${one}ChangeEntry`]: {
      ...open({ ...entry, item: ref("schemas", one) }, Object.keys(entry)),
      description: "`item` is as it is now, and absent when it is gone.",
    },
    [`${one}Changes`]: open({
      items: list(ref("schemas", `${one}ChangeEntry`)),
      schema_version: version,
      links: ref("schemas", "FeedLinks"),
    }),
  };
}
