import type { CollectionKind } from "../../../domain/definition/collection";
import { may } from "../../../domain/credential/roles";
import { Empty } from "../../../html/parts/empty";
import { Table } from "../../../html/parts/table";
import type { Glance } from "../../../store/definitions/glance";
import type { Frame } from "../../frame/frame";
import { AdminPage } from "../../frame/layout";
import { dataAssets } from "../assets";
import { words } from "../words";
import { Row } from "./row";

interface Shown {
  frame: Frame;
  kind: CollectionKind;
  found: readonly Glance[];
}

/** Every app, or every form. */
export function ListPage({ frame, kind, found }: Shown) {
  const { many, one, path, Items } = words[kind];
  const make = may(frame.member.role, "define") ? (
    <a class="button" href={`${path}?new`}>
      New {one}
    </a>
  ) : null;
  const heads = [
    "Name",
    "Key",
    ...(kind === "form" ? ["State"] : []),
    { name: Items, number: true },
    "Last one",
    ...(make ? [{ name: <span class="unseen">Fields</span> }] : []),
  ];
  return (
    <AdminPage {...dataAssets} frame={frame} title={many} acts={make}>
      {found.length === 0 ? (
        <Empty>
          <p>There is no {one} yet.</p>
          {make ? <p>{make}</p> : <p>Owners, admins and editors can make one.</p>}
        </Empty>
      ) : (
        <Table caption={many} heads={heads}>
          {found.map((each) => (
            <Row {...{ each, kind, frame, defines: make !== null }} />
          ))}
        </Table>
      )}
    </AdminPage>
  );
}
