import { may } from "../../domain/credential/roles";
import { showDay } from "../../html/reader";
import { Attention } from "./attention";
import type { Frame } from "../frame/frame";
import { AdminPage } from "../frame/layout";
import { Plot } from "../plot";
import type { Figures } from "./figures";

export function OverviewPage({ frame, days, ...attention }: Figures & { frame: Frame }) {
  const { reader, member } = frame;
  const label = (each: string) => showDay({ ...reader, zone: "UTC" }, Date.parse(each));
  return (
    <AdminPage
      frame={frame}
      title="Overview"
      acts={
        <a class="button quiet" href="/admin/integrations/new">
          Issue credential
        </a>
      }
    >
      <h2 class="first">Needs attention</h2>
      <Attention
        {...attention}
        define={may(member.role, "define")}
        isNew={days.every(({ requests, submissions }) => requests + submissions === 0)}
      />
      <h2>The last 30 days</h2>
      <div class="columns">
        <Plot
          title="Requests"
          noun={["call", "calls"]}
          bars={days.map((each) => ({
            label: label(each.day),
            value: each.requests,
            bad: each.refusals,
          }))}
        />
        <Plot
          title="Submissions"
          noun={["made in all forms", "made in all forms"]}
          bars={days.map((each) => ({ label: label(each.day), value: each.submissions, bad: 0 }))}
        />
      </div>
      <p class="muted small">Days end at midnight UTC; calls are counted within a minute.</p>
    </AdminPage>
  );
}
