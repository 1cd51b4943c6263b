import type { Collection } from "../../../../domain/definition/collection";
import { Select } from "../../../../html/form/select";
import { words } from "../../../definitions/words";
import { findersOf } from "../columns-sent";
import type { Import } from "../file";

/** What happens to items that are there already. */
export function Finder({ file, collection }: { file: Import; collection: Collection }) {
  const { items } = words[collection.kind];
  const labelOf = (target: string) =>
    collection.definition.fields.fields.find(({ key }) => key === target)?.label ?? "Id";
  return (
    <Select
      name="by"
      label={`Which ${items} are there already?`}
      value={file.plan.by}
      options={[
        { value: "", label: `None: each row is a new one` },
        ...findersOf(file.plan.columns, collection).map((value) => ({
          value,
          label: `Those with the same ${labelOf(value)}: they are changed`,
        })),
      ]}
    />
  );
}
