/** Numbers and tables as bench/report.mjs writes them. A value that is not there is an empty cell. */
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export const number = (value, digits = 0) =>
  value === undefined || value === null || Number.isNaN(value)
    ? ''
    : digits === 0
      ? whole.format(value)
      : value.toFixed(digits);

/** How many times, with fewer digits the larger it is. */
export const times = (value) =>
  value === undefined || !Number.isFinite(value) ? '' : value >= 10 ? number(value) : value.toFixed(2);

/** The first column is text, the others are numbers. */
export const table = (head, rows) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
