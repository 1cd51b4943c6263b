import type { Context } from "hono";
import { readerOf } from "../../../frame/reader-of";

export function clockOf(c: Context): Clock {
  const { zone, now } = readerOf(c);
  return { zone, now };
}

/** Where days begin, and which day it is. */
export interface Clock {
  zone: string;
  now: number;
}
