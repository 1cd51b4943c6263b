import { DurableObject } from "cloudflare:workers";
import { Sender } from "#delivery/sender.ts";
import { createMemory, type Memory } from "#domain/memory.ts";
import { Gate } from "#gate/gate.ts";
import type { Service } from "#http/service.ts";
import { app } from "./app.ts";
import { workerPorts, workerSettings, type WorkerBindings } from "./platform.ts";
import { onSchedule } from "./schedule.ts";
import { createService } from "./service.ts";

/**
 * One memory per timeline. All requests of the isolate share it, although each request may have a different `env`
 * object.
 */
const memories = new Map<string, Memory>();
const services = new WeakMap<WorkerBindings, Service>();

function serviceOf(env: WorkerBindings): Service {
  const existing = services.get(env);
  if (existing) return existing;
  const epoch = env.RESTORE_EPOCH ?? "";
  const memory = memories.get(epoch) ?? createMemory();
  memories.set(epoch, memory);
  const service = createService(workerPorts(env), workerSettings(env), memory);
  services.set(env, service);
  return service;
}

export default {
  fetch: (request: Request, env: WorkerBindings, ctx: ExecutionContext) =>
    app.fetch(request, serviceOf(env), ctx),
  scheduled: (event: Pick<ScheduledController, "scheduledTime">, env: WorkerBindings) =>
    onSchedule(serviceOf(env), event.scheduledTime),
} satisfies ExportedHandler<Bindings>;

/** The Durable Object of a credential. Deployments and older isolates use the names of this class and its methods. */
export class CredentialGate extends DurableObject<Bindings> {
  private readonly gate = new Gate(this.ctx, serviceOf(this.env));

  admit(...args: Parameters<Gate["admit"]>) {
    return this.gate.admit(...args);
  }
  check(...args: Parameters<Gate["check"]>) {
    return this.gate.check(...args);
  }
  note(...args: Parameters<Gate["note"]>) {
    return this.gate.note(...args);
  }
  answers() {
    return this.gate.answers();
  }
  report() {
    return this.gate.report();
  }
  use() {
    return this.gate.use();
  }
  exchange(...args: Parameters<Gate["exchange"]>) {
    return this.gate.exchange(...args);
  }
  change(...args: Parameters<Gate["change"]>) {
    return this.gate.change(...args);
  }
  override alarm() {
    return this.gate.alarm();
  }
}

/** The Durable Object of a webhook. Deployments and older isolates use its names too. */
export class WebhookSender extends DurableObject<Bindings> {
  private readonly sender = new Sender(this.ctx, serviceOf(this.env));

  wake(...args: Parameters<Sender["wake"]>) {
    return this.sender.wake(...args);
  }
  resume(...args: Parameters<Sender["resume"]>) {
    return this.sender.resume(...args);
  }
  sendTest(...args: Parameters<Sender["sendTest"]>) {
    return this.sender.sendTest(...args);
  }
  redeliver(...args: Parameters<Sender["redeliver"]>) {
    return this.sender.redeliver(...args);
  }
  report(...args: Parameters<Sender["report"]>) {
    return this.sender.report(...args);
  }
  health(...args: Parameters<Sender["health"]>) {
    return this.sender.health(...args);
  }
  forget() {
    return this.sender.forget();
  }
  override alarm() {
    return this.sender.alarm();
  }
}
