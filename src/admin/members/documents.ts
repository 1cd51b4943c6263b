import { stamp } from "../../domain/time";
import type { Invitation } from "../../store/members/invitations";
import type { MemberSummary } from "../../store/members/list-members";

export function memberDocument({
  id,
  email: address,
  role: now,
  createdAt,
  disabledAt,
}: MemberSummary) {
  return {
    id,
    email: address,
    role: now,
    disabled: disabledAt !== null,
    created_at: stamp(createdAt),
  };
}

export function invitationDocument({
  email: address,
  role: given,
  expiresAt,
  ...rest
}: Pick<Invitation, "email" | "role" | "expiresAt"> & { link?: string | undefined }) {
  const { link } = rest;
  return { email: address, role: given, expires_at: stamp(expiresAt), ...(link ? { link } : {}) };
}
