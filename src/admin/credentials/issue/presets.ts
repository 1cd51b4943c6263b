import { within, type Role } from "../../../domain/credential/roles";
import type { Permission } from "../../../domain/credential/permissions";

/** What credentials are usually for, with just the permissions that it takes. */
export const presets = {
  read: {
    name: "Read everything",
    hint: "for reports and exports",
    permissions: ["records:read", "submissions:read", "schema:read"],
  },
  website_form: {
    name: "Website form",
    hint: "creates submissions, and sees none",
    permissions: ["submissions:create"],
  },
  sync: {
    name: "Two-way sync",
    hint: "reads, creates and changes; deletes nothing",
    permissions: [
      "records:read",
      "records:write",
      "submissions:read",
      "submissions:write",
      "schema:read",
    ],
  },
  code: {
    name: "Definition as code",
    hint: "makes and changes forms and apps, without their data",
    permissions: ["schema:read", "schema:write"],
  },
} as const satisfies Record<string, { name: string; hint: string; permissions: Permission[] }>;

export type Preset = keyof typeof presets;

const presetKeys = Object.keys(presets) as Preset[];

/** The one of this name, if what was sent is one. */
export function presetNamed(sent: unknown): (typeof presets)[Preset] | undefined {
  const name = presetKeys.find((preset) => preset === sent);
  return name && presets[name];
}

/** Those that a member of this role can give: none is offered that would be refused. */
export function presetsFor(role: Role): Preset[] {
  return presetKeys.filter((preset) => {
    const { permissions } = presets[preset];
    return within(role, permissions).length === permissions.length;
  });
}
