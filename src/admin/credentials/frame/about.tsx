import type { Credential } from "../../../domain/credential/credential";
import { Facts } from "../../../html/parts/facts";
import { Id } from "../../../html/parts/id";
import { showCount } from "../../../html/show-count";
import { Time } from "../../../html/time";
import { clientId } from "../document";
import { accessInWords } from "../access/access-in-words";

export function About({ credential }: { credential: Credential }) {
  const { expiresAt, revokedAt, lastUsedAt, createdAt, limits, kind } = credential;
  return (
    <Facts
      facts={[
        ["Access", accessInWords(credential)],
        kind === "client" ? ["Client id", <Id of={clientId(credential)} />] : null,
        revokedAt === null
          ? [
              "Expires",
              expiresAt === null ? (
                "never"
              ) : (
                <>
                  <Time at={expiresAt} as="day" />{" "}
                  <span class="muted">
                    <Time at={expiresAt} as="distance" />
                  </span>
                </>
              ),
            ]
          : ["Revoked", <Time at={revokedAt} />],
        ["Last used", lastUsedAt === null ? "not yet" : <Time at={lastUsedAt} as="distance" />],
        ["Issued", <Time at={createdAt} as="day" />],
        [
          "Limits a minute",
          `${showCount(limits.requests)} requests, ${showCount(limits.writes)} writes`,
        ],
      ]}
    />
  );
}
