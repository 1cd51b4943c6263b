/**
 * A restore of the database begins a new timeline. D1 Time Travel would undo a marker in the database, so variables of
 * the deployment identify the timeline (docs/adr/0010-timelines.md).
 */
export interface Timeline {
  /** Random text that identifies the timeline. Empty before the first restore. */
  epoch: string;
  /** Increases with every restore. Two timelines of one database never share a number. */
  restores: number;
}

/** The timeline of a database that was never restored. */
export const originalTimeline: Timeline = { epoch: "", restores: 0 };

/** The versions of each timeline start above those of all earlier timelines. */
const versionsPerRestore = 2 ** 20;

/**
 * The sequences of changes in each timeline also start above those of all earlier timelines. Of a collection's 2^32
 * sequences, the first half contains the starts of 512 timelines. The second half stays free for changes.
 */
export const sequencesPerRestore = 2 ** 22;
const maxTimelines = 512;

/** The lowest version that this timeline assigns. */
export const lowestVersion = ({ restores }: Timeline): number =>
  Math.max(1, restores * versionsPerRestore);

/** Returns the lowest sequence of a change in this timeline. */
export const lowestSequence = ({ restores }: Timeline): number =>
  Math.min(restores, maxTimelines - 1) * sequencesPerRestore;

/** Returns the version after `version`. An ETag of an earlier timeline never matches it. */
export const nextVersion = (version: number, timeline: Timeline): number =>
  Math.max(version + 1, lowestVersion(timeline));
