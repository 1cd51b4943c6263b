import {
  defaultLimits,
  type CredentialKind,
  type Limits,
} from "../../domain/credential/credential";
import { may, within, type Role } from "../../domain/credential/roles";
import type { Permission } from "../../domain/credential/permissions";
import { problem, type FieldError } from "../../domain/problem/problem";

/** What of a credential somebody may ask for too much. */
interface Asked {
  permissions: readonly Permission[];
  limits: Limits;
  expiresAt: number | null;
}

/** `had` are the limits that it has already: who may not raise them may leave them as they are. */
export function refuseInput(
  ctx: { member: { role: Role }; now(): number },
  kind: CredentialKind,
  input: Asked,
  had = defaultLimits,
): void {
  const { role } = ctx.member;
  const errors: FieldError[] = may(role, "credentials") ? [] : limitErrors(input.limits, had);
  if (kind === "client" && !may(role, "credentials")) {
    const reason = `The role ${role} issues personal tokens only.`;
    errors.push({ field: "kind", pointer: "/kind", code: "not_an_option", reason });
  }
  const allowed = within(role, input.permissions);
  if (kind === "token" && allowed.length < input.permissions.length) {
    const reason = `A personal token never exceeds its member's role, which is ${role}.`;
    errors.push({
      field: "permissions",
      pointer: "/permissions",
      code: "not_an_option",
      reason,
    });
  }
  if (input.expiresAt !== null && input.expiresAt <= ctx.now()) {
    const reason = "Must lie in the future.";
    errors.push({ field: "expires", pointer: "/expires", code: "too_small", reason });
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
}

/** What is more than the default is given by who manages credentials. */
function limitErrors(asked: Limits, had: Limits): FieldError[] {
  return (["requests", "writes"] as const).flatMap((field): FieldError[] => {
    const maximum = Math.max(defaultLimits[field], had[field]);
    if (asked[field] <= maximum) return [];
    const reason = `Must be at most ${maximum}; owners and admins can give more.`;
    return [{ field, pointer: `/${field}`, code: "too_large", reason, maximum }];
  });
}
