import { createContext, useContext } from "hono/jsx";
import { visibleActorName } from "#actions/audit.ts";
import { useText } from "#admin/language/index.tsx";
import type { PageContext } from "#admin/layout.tsx";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { ItemHistory } from "#domain/item/change.ts";

/** The names of members and credentials by actor. Contains only names that the page has loaded. */
export const ActorNamesContext = createContext<ReadonlyMap<string, string>>(new Map());

export function actorNames({ entries }: ItemHistory): ReadonlyMap<string, string> {
  return new Map(entries.flatMap(({ by, byName }) => (byName === null ? [] : [[by, byName]])));
}

interface ActorProps {
  actor: string;
  frame: PageContext;
}

/** Renders an actor within a sentence. The name of a credential can be any text, so it gets quotation marks. */
export function QuotedActorName({ actor, frame }: ActorProps) {
  const name = useContext(ActorNamesContext).get(actor);
  const isNamed = visibleActorName(actor, name, frame.member) !== undefined;
  const { quote } = useText().terms;
  const element = <ActorName actor={actor} frame={frame} />;
  return <>{actor.startsWith("credential:") && isNamed ? quote(element) : element}</>;
}

/** Renders the name of an actor. */
export function ActorName({ actor, frame }: ActorProps) {
  const [kind = "", id = ""] = actor.split(":");
  const name = visibleActorName(actor, useContext(ActorNamesContext).get(actor), frame.member);
  const text = useText().itemPage.actors;
  if (kind === "member") {
    if (id === frame.member.id) return <>{text.you}</>;
    return name === undefined ? <>{text.otherMember}</> : <bdi>{name}</bdi>;
  }
  if (kind !== "credential") return <>{text.recalculation}</>;
  if (!roleAllows(frame.member.role, "credentials")) return <>{text.integration}</>;
  return (
    <a href={`/admin/integrations/${id}`}>
      <bdi>{name ?? text.integration}</bdi>
    </a>
  );
}
