import * as z from "zod/mini";
import { permissions } from "../../../domain/credential/permissions";
import { isStorable, storable } from "../../../domain/text";
import { isTimeZone } from "../../../domain/time-zone";
import { list } from "./list";
import { resources } from "./resources";
import { origins } from "./origins";
import { expires } from "./expiry";

const perMinute = (most: number) => z.coerce.number().check(z.int(), z.minimum(1), z.maximum(most));

export const shape = {
  name: z
    .string()
    .check(z.minLength(1), z.maxLength(200), z.refine(isStorable, `Must be ${storable}.`)),
  permissions: list(z.enum(permissions)),
  resources,
  requests: perMinute(100_000),
  writes: perMinute(100_000),
  expires,
  /** The zone in which a day ends. */
  time_zone: z.string().check(z.refine(isTimeZone, "Must be an IANA time zone, like Asia/Tokyo.")),
  origins,
};
