/** Formats numbers and tables for bench/report.mjs. A missing value becomes an empty cell. */
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export const number = (value, digits = 0) =>
  value === undefined || value === null || Number.isNaN(value)
    ? ''
    : digits === 0
      ? whole.format(value)
      : value.toFixed(digits);

/** Formats a factor, with fewer digits for larger values. */
export const times = (value) =>
  value === undefined || !Number.isFinite(value) ? '' : value >= 10 ? number(value) : value.toFixed(2);

/** Formats a table whose first column is text and whose other columns are numbers. */
export const table = (head, rows) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
