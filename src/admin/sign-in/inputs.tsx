import type { Child } from "hono/jsx";
import { Input } from "../../html/form/input";

export const labels = { email: "E-mail", password: "Password", secret: "Set-up secret" };

export function Password({
  label,
  create,
  hint,
}: {
  label: Child;
  create?: boolean;
  hint?: string;
}) {
  return (
    <Input
      name="password"
      type="password"
      label={label}
      hint={hint}
      required
      minlength={create ? 12 : undefined}
      autocomplete={create ? "new-password" : "current-password"}
    />
  );
}

export function Email({ value }: { value?: string | undefined }) {
  return (
    <Input
      name="email"
      type="email"
      label={labels.email}
      value={value}
      autocomplete="username"
      required
    />
  );
}

export const atLeast = "At least 12 characters.";
