import type { Context } from "hono";
import * as z from "zod/mini";
import { memberNameSchema, passwordSchema } from "#actions/members.ts";
import { EmailInput, parseForm } from "#admin/form-input.ts";
import { lazy } from "#domain/lazy.ts";
import type { AppEnv } from "#http/env.ts";
import { usesAccess } from "./access.ts";

export const SignInInput = lazy(() =>
  z.object({
    email: EmailInput(),
    password: z.string().check(z.minLength(1), z.maxLength(1000)),
    to: z.optional(z.string()),
    kept: z.optional(z.string()),
  }),
);
const OwnerInput = lazy(() =>
  z.object({
    email: SignInInput().shape.email,
    name: z.optional(memberNameSchema()),
    password: passwordSchema(),
    secret: z.string().check(z.minLength(1)),
  }),
);
const OwnerWithAccessInput = lazy(() => z.omit(OwnerInput(), { password: true }));
export const ResetInput = lazy(() => z.object({ password: passwordSchema() }));
const JoinInput = lazy(() =>
  z.object({ name: z.optional(memberNameSchema()), password: passwordSchema() }),
);
const JoinWithAccessInput = lazy(() => z.omit(JoinInput(), { password: true }));

/** Parses the form of the first owner. Cloudflare Access replaces the password. */
export const parseOwner = async (c: Context<AppEnv>) =>
  usesAccess(c.env)
    ? { ...(await parseForm(c, OwnerWithAccessInput())), password: undefined }
    : parseForm(c, OwnerInput());

/** Parses the form of an invited member. Cloudflare Access replaces the password. */
export const parseNewMember = async (c: Context<AppEnv>) =>
  usesAccess(c.env)
    ? { ...(await parseForm(c, JoinWithAccessInput())), password: undefined }
    : parseForm(c, JoinInput());
