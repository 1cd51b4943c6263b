import { Client } from "../support/client";
import { as, newMember } from "../support/members";
import { admin, client } from "../support/service";
import { testPermissions } from "./api-permissions";

/** A personal token without permissions, since its member became a viewer. */
async function tokenWithoutPermissions(): Promise<Client> {
  const { id, cookie } = await newMember("editor");
  const choice = { kind: "token", name: "Was an editor's", permissions: ["records:write"] };
  const access = { resources: "all", expires: "30d" };
  const { body } = await as(cookie)("POST", "/integrations", { ...choice, ...access });
  await admin("POST", `/integrations/${body.id}`, { requests: 10_000, writes: 10_000 });
  await admin("POST", `/members/${id}`, { role: "viewer" });
  return new Client(body.token);
}

testPermissions("a personal token", async (permission) =>
  permission === "none" ? tokenWithoutPermissions() : client({ permissions: [permission] }),
);
