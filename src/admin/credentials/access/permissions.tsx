import { permissions } from "../../../domain/credential/permissions";
import { within, type Role } from "../../../domain/credential/roles";
import { Choices } from "../../../html/form/choices";
import type { Sent } from "../../frame/sent";
import { permissionNames } from "../words";
import { labels, listed } from "./labels";

/** Those that the role may give; what it may not is not offered. */
export function Permissions({ role, sent, isToken }: { role: Role; sent: Sent; isToken: boolean }) {
  const offered = isToken ? within(role, permissions) : permissions;
  return (
    <Choices
      many
      name="permissions"
      label={labels.permissions}
      options={offered.map((value) => ({ value, label: permissionNames[value], hint: value }))}
      chosen={listed(sent["permissions"])}
    />
  );
}
