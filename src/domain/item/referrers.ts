/** The maximum number of items that a page counts for each field that refers to a record. */
export const maxCountedReferrers = 100;
