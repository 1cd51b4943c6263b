import { liveSecrets, type Credential, type Secret } from "../../../domain/credential/credential";
import { Empty } from "../../../html/parts/empty";
import { Table } from "../../../html/parts/table";
import { Time } from "../../../html/time";
import type { Frame } from "../../frame/frame";
import { Rotation } from "../../secrets/rotation";
import { CredentialFrame } from "../frame/credential-frame";

export interface Shown {
  frame: Frame;
  credential: Credential;
}

/** A secret without what makes it one: how it begins, and its last four characters. */
function masked({ first_characters, last_characters }: Secret): string {
  return `${first_characters.slice(0, 4)}…${last_characters ?? ""}`;
}

export function SecretsPage({ frame, credential }: Shown) {
  const { id, revokedAt } = credential;
  const secrets = revokedAt === null ? liveSecrets(credential, frame.reader.now) : [];
  return (
    <CredentialFrame frame={frame} credential={credential} tab="Secrets">
      {secrets.length === 0 ? (
        <Empty>
          <p>It has no secret that is accepted.</p>
        </Empty>
      ) : (
        <Table caption="Secrets" heads={["Secret", "Made", "Ends"]}>
          {secrets.map((secret) => (
            <tr>
              <th scope="row">
                <code>{masked(secret)}</code>
              </th>
              <td data-label="Made">
                <Time at={secret.created_at} />
              </td>
              <td data-label="Ends">
                {secret.expires_at === null ? (
                  "with the credential"
                ) : (
                  <Time at={secret.expires_at} />
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {revokedAt === null ? <Rotation action={`/admin/integrations/${id}/rotate`} /> : null}
    </CredentialFrame>
  );
}
