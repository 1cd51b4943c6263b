import { textOf } from "../../frame/sent";

export const labels = {
  purpose: "Purpose",
  permissions: "Permissions",
  resources: "Access to",
  kind: "Kind",
  name: "Name",
  expires: "Expires",
  expires_on: "Day",
  requests: "Requests a minute",
  writes: "Writes a minute",
  origins: "Allowed origins",
};

export const listed = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(textOf) : value === undefined ? [] : [textOf(value)];
