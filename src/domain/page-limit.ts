/** How many items a page of a list or a search has (contract, section 9). */
export const leastLimit = 1;
export const mostLimit = 200;
export const defaultLimit = 50;
