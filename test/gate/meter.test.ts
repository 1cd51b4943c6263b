import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  endReservation,
  meterOf,
  newMeter,
  storedMeter,
  takeRequest,
  timeOf,
  type Meter,
  type StoredMeter,
} from "../../src/gate/limits.ts";
import { windowMilliseconds } from "../../src/gate/limits.ts";

const minute = windowMilliseconds;
/** What an isolate waits before it tells the outcome of a last call. */
const tellingAfter = 7000;
/** A reservation is used for as long at most. */
const reservedFor = 30_000;

/** An object that is asked, ends and starts anew; and all that it admitted. */
class Story {
  clock = 1e12;
  #meter: Meter = newMeter();
  #disk: StoredMeter = storedMeter(newMeter());
  #toldAt = Infinity;
  readonly limits;
  readonly requests: number[] = [];
  readonly writes: number[] = [];
  rows = 0;

  constructor(limits: { requests: number; writes: number }) {
    this.limits = limits;
  }

  get now(): number {
    return timeOf(this.#meter, this.clock);
  }

  wait(milliseconds: number): void {
    if (this.clock + milliseconds >= this.#toldAt) this.#tell();
    this.clock += milliseconds;
  }

  #tell(): void {
    endReservation(this.#meter);
    this.#store();
    this.#toldAt = Infinity;
  }

  #store(): void {
    this.#disk = structuredClone(storedMeter(this.#meter));
    this.rows += 1;
  }

  /** The machine dies: also who would have told. */
  die(): void {
    this.#meter = meterOf(structuredClone(this.#disk), this.clock);
    this.#toldAt = Infinity;
  }

  ask(write = false): boolean {
    const { now } = this;
    const { wait, storing } = takeRequest(this.#meter, this.limits, write, now);
    if (storing !== "none") this.#store();
    if (wait > 0) return false;
    this.requests.push(now);
    if (write) this.writes.push(now);
    this.#toldAt = this.clock + tellingAfter;
    return true;
  }
}

function mostIn(times: readonly number[]): number {
  const within = times.map(
    (start, index) => times.slice(index).filter((each) => each < start + minute).length,
  );
  return Math.max(0, ...within);
}

const limits = fc.record({
  requests: fc.integer({ min: 1, max: 60 }),
  writes: fc.integer({ min: 1, max: 30 }),
});
const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ ask: fc.integer({ min: 1, max: 40 }), write: fc.boolean() }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ wait: fc.oneof(fc.nat(300), fc.nat(5000), fc.nat(40_000)) }),
    },
    { weight: 2, arbitrary: fc.constant({ die: true } as const) },
    { weight: 1, arbitrary: fc.record({ back: fc.nat(5000) }) },
  ),
  { maxLength: 60 },
);

function play(story: Story, history: typeof steps extends fc.Arbitrary<infer T> ? T : never): void {
  for (const step of history) {
    if ("ask" in step) for (let each = 0; each < step.ask; each += 1) story.ask(step.write);
    else if ("wait" in step) story.wait(step.wait);
    else if ("back" in step) story.clock -= step.back;
    else story.die();
  }
}

describe("The meter", () => {
  it("exceeds no limit, whenever the object ends and whatever its clock does", () => {
    fc.assert(
      fc.property(limits, steps, (given, history) => {
        const story = new Story(given);
        play(story, history);
        expect(mostIn(story.requests)).toBeLessThanOrEqual(given.requests);
        expect(mostIn(story.writes)).toBeLessThanOrEqual(given.writes);
      }),
      { numRuns: 1000 },
    );
  });

  it("gives all of its limit to who was quiet for a minute, also if the object ended then", () => {
    fc.assert(
      fc.property(limits, steps, fc.boolean(), (given, history, dies) => {
        const story = new Story(given);
        play(story, history);
        // Time that went back is made up for.
        story.clock = story.now;
        story.ask(true);
        story.wait(tellingAfter);
        story.wait(tellingAfter);
        if (dies) story.die();
        story.wait(minute + reservedFor);
        for (let each = 0; each < given.requests; each += 1) expect(story.ask()).toBe(true);
        expect(story.ask()).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("counts what was made exactly where it ends after a pause of seven seconds", () => {
    fc.assert(
      fc.property(limits, fc.integer({ min: 1, max: 60 }), (given, asked) => {
        const story = new Story(given);
        for (let each = 0; each < asked; each += 1) story.ask();
        story.wait(tellingAfter);
        story.die();
        const left = given.requests - story.requests.length;
        for (let each = 0; each < left; each += 1) expect(story.ask()).toBe(true);
        expect(story.ask()).toBe(false);
      }),
    );
  });

  it("counts a sixteenth too many at most where it ends in a burst, and for that minute", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 16, max: 600 }),
        fc.integer({ min: 2, max: 600 }),
        (most, asked) => {
          const story = new Story({ requests: most, writes: 120 });
          for (let each = 0; each < asked; each += 1) {
            story.ask();
            story.wait(1);
          }
          const made = story.requests.length;
          story.die();
          let more = 0;
          while (story.ask()) more += 1;
          expect(made + more).toBeGreaterThanOrEqual(most - Math.floor(most / 16));
          story.die();
          story.wait(minute + 2000);
          for (let each = 0; each < most; each += 1) expect(story.ask()).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("stores three rows a minute for one request a second, and one for a request after a pause", () => {
    const story = new Story({ requests: 600, writes: 120 });
    for (let second = 0; second < 60; second += 1) {
      story.ask();
      story.wait(1000);
    }
    expect(story.rows).toBeLessThanOrEqual(3);
    story.wait(minute);
    story.wait(1);
    const before = story.rows;
    story.ask();
    expect(story.rows - before).toBe(1);
    story.wait(tellingAfter);
    expect(story.rows - before).toBe(2);
  });
});
