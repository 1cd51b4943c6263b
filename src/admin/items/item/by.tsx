import { createContext, useContext } from "hono/jsx";
import { may } from "../../../domain/credential/roles";
import type { ItemHistory } from "../../../domain/item/history";
import type { Frame } from "../../frame/frame";

/** What members and credentials are called, by actor, as far as a page knows. */
export const NamesContext = createContext<ReadonlyMap<string, string>>(new Map());

export function namesIn({ entries }: ItemHistory): ReadonlyMap<string, string> {
  return new Map(entries.flatMap(({ by, byName }) => (byName === null ? [] : [[by, byName]])));
}

/** Who did it: by name to those who see members, or credentials. */
export function By({ actor, frame }: { actor: string; frame: Frame }) {
  const [kind = "", id = ""] = actor.split(":");
  const name = useContext(NamesContext).get(actor);
  const { role } = frame.member;
  if (kind === "member") {
    if (id === frame.member.id) return <>you</>;
    return may(role, "members") && name !== undefined ? <bdi>{name}</bdi> : <>another member</>;
  }
  if (kind !== "credential") return <>a recalculation</>;
  if (!may(role, "credentials")) return <>an integration</>;
  return (
    <a href={`/admin/integrations/${id}`}>
      <bdi>{name ?? "an integration"}</bdi>
    </a>
  );
}
