import type { Context } from "hono";
import type { AdminEnv } from "../../../../env";
import { frameOf } from "../../../frame/frame";

type C = Context<AdminEnv>;

export function clockOf(c: C): Clock {
  const { zone, now } = frameOf(c).reader;
  return { zone, now };
}

/** Where days begin, and which day it is. */
export interface Clock {
  zone: string;
  now: number;
}
