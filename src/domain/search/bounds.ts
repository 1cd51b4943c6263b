/** What a search can say at most (contract, section 9). */
export const deepest = 5;
export const mostConditions = 50;
export const mostSorts = 3;
export const mostValues = 100;
/** Characters to look for within texts: looking takes as long as both are, multiplied. */
export const longestText = 1000;
/** Of all conditions together, as JSON. */
export const longestConditions = 500_000;
/** Words of the box above the items: an item has each of them somewhere. */
export const mostWords = 5;
