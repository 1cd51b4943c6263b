import { Client } from "../support/client";
import { accessToken } from "../support/oauth";
import { admin, issue } from "../support/service";
import { testPermissions } from "./api-permissions";

/** An access token without permissions, since its client lost the only scope. */
async function accessTokenWithoutPermissions(): Promise<Client> {
  const issued = await issue({ kind: "client", permissions: ["schema:read"] });
  const bearer = await accessToken(issued);
  await admin("POST", `/integrations/${issued.id}`, { permissions: ["records:read"] });
  return new Client(bearer);
}

testPermissions("an access token of an API client, narrowed by its scope", async (permission) =>
  permission === "none"
    ? accessTokenWithoutPermissions()
    : new Client(await accessToken(await issue({ kind: "client" }), permission)),
);
