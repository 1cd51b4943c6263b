import { may } from "../../../domain/credential/permissions";
import type { Frame } from "../../frame/frame";

/** Who did it, as far as the item itself says. */
export function By({ actor, frame }: { actor: string; frame: Frame }) {
  const [kind = "", id = ""] = actor.split(":");
  if (kind === "member") return <>{id === frame.member.id ? "you" : "another member"}</>;
  if (kind !== "credential") return <>a recalculation</>;
  return may(frame.member.role, "credentials") ? (
    <a href={`/admin/integrations/${id}`}>an integration</a>
  ) : (
    <>an integration</>
  );
}
