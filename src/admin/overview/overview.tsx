import { Hono } from "hono";
import { may } from "../../domain/credential/roles";
import { stamp } from "../../domain/time";
import type { AdminEnv } from "../../env";
import { readOverview } from "../../store/overview";
import { answer } from "../frame/answers";
import { frameOf } from "../frame/frame";
import { day, soon, figuresOf } from "./figures";
import { OverviewPage } from "./overview-page";

const shownDays = 30;

/** What needs attention, and how it went lately. */
export const overview = new Hono<AdminEnv>().get("/", async (c) => {
  const { id, role } = c.var.member;
  const now = Date.now();
  const tomorrow = (Math.floor(now / day) + 1) * day;
  const times = Array.from({ length: shownDays + 1 }, (_, i) => tomorrow - (shownDays - i) * day);
  const memberId = may(role, "credentials") ? null : id;
  const read = await readOverview(c.env.DB, { memberId, now, soon: now + soon, times });
  const webhooks = may(role, "webhooks") ? read.webhooks : [];
  const figures = figuresOf({ ...read, webhooks }, times, now);
  const document = {
    expiring: figures.expiring.map((each) => ({
      id: each.id,
      name: each.name,
      expires_at: stamp(each.expiresAt ?? 0),
    })),
    refused: figures.refused.map(({ credential, refusals }) => ({
      id: credential.id,
      name: credential.name,
      refusals,
    })),
    forms: figures.forms,
    webhooks,
    days: figures.days,
  };
  return answer(c, document, () => <OverviewPage frame={frameOf(c)} {...figures} />);
});
