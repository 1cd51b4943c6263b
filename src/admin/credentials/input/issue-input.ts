import * as z from "zod/mini";
import type { CredentialInput } from "../../../actions/credentials/credentials";
import { defaultLimits } from "../../../domain/credential/credential";
import type { Resources } from "../../../domain/credential/resources";
import { expiryOf } from "./expiry";
import { tidy } from "./tidy";
import { shape } from "./shape";

export const IssueInput = tidy(
  z.strictObject({
    ...shape,
    kind: z.enum(["token", "client"]),
    requests: z._default(shape.requests, defaultLimits.requests),
    writes: z._default(shape.writes, defaultLimits.writes),
    time_zone: z._default(shape.time_zone, "UTC"),
    origins: z._default(shape.origins, []),
  }),
);

export function issueInput(
  sent: Omit<z.infer<typeof IssueInput>, "kind">,
  now: number,
): CredentialInput {
  const { requests, writes, expires: chosen, time_zone, ...rest } = sent;
  const limits = { requests, writes };
  return { ...withResources(rest), limits, ...expiryOf(chosen, time_zone, now) };
}

function withResources<Sent extends { resources: "all" | string[] }>(sent: Sent) {
  const kept: Resources = sent.resources;
  return { ...sent, resources: kept };
}
