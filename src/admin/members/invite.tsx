import type { Role } from "../../domain/credential/roles";
import { Input } from "../../html/form/input";
import { Select } from "../../html/form/select";
import { textOf, type Sent } from "../frame/sent";
import { rolesFor } from "./roles-for";

const roleMeanings: Record<Role, string> = {
  viewer: "reads",
  editor: "also changes data, forms and apps",
  admin: "also manages credentials and members",
  owner: "also makes admins and owners",
};

export function Invite({ role, sent }: { role: Role; sent: Sent | undefined }) {
  return (
    <form method="post" action="/admin/members" id="invite">
      <h2>Invite somebody</h2>
      <div class="grid">
        <Input
          name="email"
          type="email"
          label="E-mail"
          required
          maxlength={254}
          autocomplete="off"
          value={textOf(sent?.["email"])}
        />
        <Select
          name="role"
          label="Role"
          value={textOf(sent?.["role"])}
          options={rolesFor(role).map((each) => ({
            value: each,
            label: `${each}: ${roleMeanings[each]}`,
          }))}
        />
      </div>
      <button type="submit">Make an invitation</button>
    </form>
  );
}
