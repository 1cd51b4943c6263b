import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  endReservation,
  restoreMeter,
  createMeter,
  serializeMeter,
  takeRequest,
  advanceClock,
  type Meter,
  type StoredMeter,
} from "../../src/gate/limits.ts";
import { windowMs } from "../../src/gate/limits.ts";

const minute = windowMs;
/** How long an isolate waits for another request before it reports the last call. */
const reportAfterMs = 7000;
/** The longest time that a reservation is used. */
const maxReservationMs = 30_000;

/** Simulates a credential object that takes requests, dies and restarts. Records every request that it admitted. */
class ObjectSimulation {
  clock = 1e12;
  #meter: Meter = createMeter();
  #disk: StoredMeter = serializeMeter(createMeter());
  #reportAt = Infinity;
  readonly limits;
  readonly requests: number[] = [];
  readonly writes: number[] = [];
  rows = 0;

  constructor(limits: { requests: number; writes: number }) {
    this.limits = limits;
  }

  get now(): number {
    return advanceClock(this.#meter, this.clock);
  }

  wait(milliseconds: number): void {
    if (this.clock + milliseconds >= this.#reportAt) this.#report();
    this.clock += milliseconds;
  }

  #report(): void {
    endReservation(this.#meter);
    this.#store();
    this.#reportAt = Infinity;
  }

  #store(): void {
    this.#disk = structuredClone(serializeMeter(this.#meter));
    this.rows += 1;
  }

  /** Loses the memory of the object and the report that was due. */
  die(): void {
    this.#meter = restoreMeter(structuredClone(this.#disk), this.clock);
    this.#reportAt = Infinity;
  }

  request(write = false): boolean {
    const { now } = this;
    const { waitMs, storeTiming } = takeRequest(this.#meter, this.limits, write, now);
    if (storeTiming !== "none") this.#store();
    if (waitMs > 0) return false;
    this.requests.push(now);
    if (write) this.writes.push(now);
    this.#reportAt = this.clock + reportAfterMs;
    return true;
  }
}

function maxPerMinute(times: readonly number[]): number {
  const counts = times.map(
    (start, index) => times.slice(index).filter((time) => time < start + minute).length,
  );
  return Math.max(0, ...counts);
}

const rateLimits = fc.record({
  requests: fc.integer({ min: 1, max: 60 }),
  writes: fc.integer({ min: 1, max: 30 }),
});
const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ count: fc.integer({ min: 1, max: 40 }), write: fc.boolean() }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ wait: fc.oneof(fc.nat(300), fc.nat(5000), fc.nat(40_000)) }),
    },
    { weight: 2, arbitrary: fc.constant({ die: true } as const) },
    { weight: 1, arbitrary: fc.record({ setBack: fc.nat(5000) }) },
  ),
  { maxLength: 60 },
);

function runSteps(
  simulation: ObjectSimulation,
  history: typeof steps extends fc.Arbitrary<infer T> ? T : never,
): void {
  for (const step of history) {
    if ("count" in step)
      for (let index = 0; index < step.count; index += 1) simulation.request(step.write);
    else if ("wait" in step) simulation.wait(step.wait);
    else if ("setBack" in step) simulation.clock -= step.setBack;
    else simulation.die();
  }
}

describe("Meter", () => {
  it("exceeds no limit when the object dies at any time or its clock goes back", () => {
    fc.assert(
      fc.property(rateLimits, steps, (rates, history) => {
        const simulation = new ObjectSimulation(rates);
        runSteps(simulation, history);
        expect(maxPerMinute(simulation.requests)).toBeLessThanOrEqual(rates.requests);
        expect(maxPerMinute(simulation.writes)).toBeLessThanOrEqual(rates.writes);
      }),
      { numRuns: 1000 },
    );
  });

  it("admits the full limit after a minute without requests, even if the object died", () => {
    fc.assert(
      fc.property(rateLimits, steps, fc.boolean(), (rates, history, dies) => {
        const simulation = new ObjectSimulation(rates);
        runSteps(simulation, history);
        // Brings a clock that went back up to the meter's time.
        simulation.clock = simulation.now;
        simulation.request(true);
        simulation.wait(reportAfterMs);
        simulation.wait(reportAfterMs);
        if (dies) simulation.die();
        simulation.wait(minute + maxReservationMs);
        for (let index = 0; index < rates.requests; index += 1)
          expect(simulation.request()).toBe(true);
        expect(simulation.request()).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("counts exactly when the object dies after a pause of seven seconds", () => {
    fc.assert(
      fc.property(rateLimits, fc.integer({ min: 1, max: 60 }), (rates, count) => {
        const simulation = new ObjectSimulation(rates);
        for (let index = 0; index < count; index += 1) simulation.request();
        simulation.wait(reportAfterMs);
        simulation.die();
        const remaining = rates.requests - simulation.requests.length;
        for (let index = 0; index < remaining; index += 1) expect(simulation.request()).toBe(true);
        expect(simulation.request()).toBe(false);
      }),
    );
  });

  it("overcounts by at most a sixteenth, for one minute, when the object dies in a burst", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 16, max: 600 }),
        fc.integer({ min: 2, max: 600 }),
        (limit, count) => {
          const simulation = new ObjectSimulation({ requests: limit, writes: 120 });
          for (let index = 0; index < count; index += 1) {
            simulation.request();
            simulation.wait(1);
          }
          const admitted = simulation.requests.length;
          simulation.die();
          let admittedLater = 0;
          while (simulation.request()) admittedLater += 1;
          expect(admitted + admittedLater).toBeGreaterThanOrEqual(limit - Math.floor(limit / 16));
          simulation.die();
          simulation.wait(minute + 2000);
          for (let index = 0; index < limit; index += 1) expect(simulation.request()).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("stores at most three rows a minute at one request a second, and two for a request after a pause", () => {
    const simulation = new ObjectSimulation({ requests: 600, writes: 120 });
    for (let second = 0; second < 60; second += 1) {
      simulation.request();
      simulation.wait(1000);
    }
    expect(simulation.rows).toBeLessThanOrEqual(3);
    simulation.wait(minute);
    simulation.wait(1);
    const rowsBefore = simulation.rows;
    simulation.request();
    expect(simulation.rows - rowsBefore).toBe(1);
    simulation.wait(reportAfterMs);
    expect(simulation.rows - rowsBefore).toBe(2);
  });
});
