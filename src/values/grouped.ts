/**
 * A whole number as people read it: `1,000,000`. Not `toLocaleString`, whose first call loads the tables of every language:
 * 16 ms of a start.
 */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
